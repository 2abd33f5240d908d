// The body of a request: one JSON object, validated in one pass.
#pragma once

#include <optional>
#include <string_view>

#include "api/wire/fields.h"

namespace longshore {

// How deeply the body nests the values that clients choose.
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

  // Call after all fields were read: INVALID_JSON with its offset, or every fault, unknown members
  // included.
  std::optional<Problem> problem();

 private:
  std::vector<JsonMember> scan(std::string_view text, BodyShape shape);

  Faults faults_;
  std::optional<Problem> broken_;
  Fields fields_;
};

// Nothing if the body is empty or an object without members.
std::optional<Problem> body_is_not_empty(std::string_view text);

}  // namespace longshore
