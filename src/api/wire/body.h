// The body of a request: one JSON object, proved sound in one pass.
#pragma once

#include <optional>
#include <string_view>

#include "api/wire/fields.h"

namespace longshore {

// How the body is built around what people put into it.
struct BodyShape {
  // Levels of objects and arrays around a value that may itself be 64 deep: one for
  // {"payload": ...}, three for {"jobs": [{"payload": ...}]}.
  int levels = 1;
};

class Body {
 public:
  // An empty text is an empty object. The text must outlive this.
  explicit Body(std::string_view text, BodyShape shape = {});
  Body(const Body&) = delete;
  Body& operator=(const Body&) = delete;

  // Empty if the body is not a JSON object; problem() then says so.
  Fields& fields() { return fields_; }

  // Everything that was wrong, once all was read: INVALID_JSON with its place, or the faults.
  // Members that nobody asked for are among them.
  std::optional<Problem> problem();

 private:
  std::vector<JsonMember> scan(std::string_view text, BodyShape shape);

  Faults faults_;
  std::optional<Problem> broken_;
  Fields fields_;
};

// Nothing, if the request's body is empty or an object without members.
std::optional<Problem> body_is_not_empty(std::string_view text);

}  // namespace longshore
