#include "api/wire/body.h"

#include <fmt/format.h>

#include "api/wire/json_place.h"

namespace longshore {
namespace {

Problem not_json(const JsonFault& fault) {
  return {.code = Code::invalid_json,
          .detail = fmt::format("{} (at byte {})", fault.what, fault.offset),
          .members = fmt::format("\"offset\":{}", fault.offset)};
}

Problem problem_of(std::string_view text, const JsonFault& fault, BodyShape shape) {
  switch (fault.kind) {
    case JsonFault::Kind::syntax:
    case JsonFault::Kind::bad_utf8:
      break;
    case JsonFault::Kind::too_deep:
      return invalid_field(
          json_place(text, fault.offset, shape.levels),
          fmt::format("must not be nested deeper than {} levels", json_depth_default));
    case JsonFault::Kind::duplicate_name:
      return invalid_field(std::string(json_string_at(text, fault.offset)), fault.what);
    case JsonFault::Kind::wrong_kind:
      return invalid_field("", "The body must be a JSON object");
  }
  return not_json(fault);
}

}  // namespace

Body::Body(std::string_view text, BodyShape shape) : fields_(faults_, "", scan(text, shape)) {}

std::vector<JsonMember> Body::scan(std::string_view text, BodyShape shape) {
  std::vector<JsonMember> members;
  if (text.empty()) return members;
  const auto scanned = scan_object(text, members, json_depth_default + shape.levels);
  if (!scanned) broken_ = problem_of(text, scanned.fault(), shape);
  return members;
}

std::optional<Problem> Body::problem() {
  if (broken_) return broken_;
  fields_.finish();
  if (faults_.any()) return faults_.problem();
  return std::nullopt;
}

std::optional<Problem> body_is_not_empty(std::string_view text) { return Body(text).problem(); }

}  // namespace longshore
