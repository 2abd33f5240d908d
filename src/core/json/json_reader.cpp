#include <charconv>
#include <limits>

#include "core/json/json_scan.h"
#include "core/json/json_value.h"
#include "longshore/json.h"

namespace longshore {
namespace {

std::string_view word_for(JsonKind kind) {
  switch (kind) {
    case JsonKind::null:
      return "null";
    case JsonKind::boolean:
      return "true or false";
    case JsonKind::number:
      return "a number";
    case JsonKind::string:
      return "a string";
    case JsonKind::array:
      return "an array";
    case JsonKind::object:
      return "an object";
  }
  return "something else";
}

// The whole text has been validated, so the first character tells the kind.
JsonSlice slice_of(JsonReader::Value value) {
  JsonSlice slice{.text = value.text, .kind = JsonKind::number};
  switch (value.text.empty() ? 'n' : value.text.front()) {
    case 'n':
      slice.kind = JsonKind::null;
      break;
    case 't':
    case 'f':
      slice.kind = JsonKind::boolean;
      break;
    case '"':
      slice.kind = JsonKind::string;
      break;
    case '[':
      slice.kind = JsonKind::array;
      break;
    case '{':
      slice.kind = JsonKind::object;
      break;
    default:
      break;
  }
  return slice;
}

std::string expected(std::string_view what, const JsonSlice& found) {
  std::string text = "must be ";
  text += what;
  text += ", but is ";
  text += word_for(found.kind);
  return text;
}

std::string out_of_range(const JsonSlice& found, const std::string& least,
                         const std::string& most) {
  if (found.kind != JsonKind::number) return expected("a whole number", found);
  return "must be a whole number from " + least + " to " + most + ", but is " +
         std::string(found.text.substr(0, 40));
}

// Includes numbers above the maximum of a signed integer.
std::optional<std::uint64_t> natural_of(const JsonSlice& slice) {
  if (const auto small = json_integer(slice)) {
    if (*small < 0) return std::nullopt;
    return static_cast<std::uint64_t>(*small);
  }
  std::uint64_t large = 0;
  const char* const end = slice.text.data() + slice.text.size();
  const auto parsed = std::from_chars(slice.text.data(), end, large);
  if (slice.kind != JsonKind::number || parsed.ec != std::errc() || parsed.ptr != end) {
    return std::nullopt;
  }
  return large;
}

}  // namespace

std::optional<JsonReader::Value> JsonReader::open(std::string_view text) {
  const auto scanned = scan_json(text);
  if (scanned) return Value{scanned->text};
  complain("is not JSON: " + scanned.fault().what + " (at byte " +
           std::to_string(scanned.fault().offset) + ")");
  return std::nullopt;
}

bool JsonReader::is_null(Value value) const { return slice_of(value).kind == JsonKind::null; }

std::optional<std::string> JsonReader::string(Value value) {
  auto text = json_string(slice_of(value));
  if (!text) complain(expected("a string", slice_of(value)));
  return text;
}

std::optional<bool> JsonReader::boolean(Value value) {
  const auto truth = json_boolean(slice_of(value));
  if (!truth) complain(expected("true or false", slice_of(value)));
  return truth;
}

std::optional<std::int64_t> JsonReader::integer(Value value, std::int64_t least,
                                                std::int64_t most) {
  const auto whole = json_integer(slice_of(value));
  if (whole && *whole >= least && *whole <= most) return whole;
  complain(out_of_range(slice_of(value), std::to_string(least), std::to_string(most)));
  return std::nullopt;
}

std::optional<std::uint64_t> JsonReader::natural(Value value, std::uint64_t most) {
  const auto whole = natural_of(slice_of(value));
  if (whole && *whole <= most) return whole;
  complain(out_of_range(slice_of(value), "0", std::to_string(most)));
  return std::nullopt;
}

std::optional<double> JsonReader::number(Value value) {
  const auto number = json_number(slice_of(value));
  if (!number) complain(expected("a number that fits", slice_of(value)));
  return number;
}

std::optional<std::vector<JsonReader::Member>> JsonReader::members(Value value) {
  if (slice_of(value).kind != JsonKind::object) {
    complain(expected("an object", slice_of(value)));
    return std::nullopt;
  }
  std::vector<JsonMember> found;
  const auto scanned = scan_object(value.text, found);
  if (!scanned) {
    complain("cannot be read: " + scanned.fault().what);
    return std::nullopt;
  }
  std::vector<Member> members;
  members.reserve(found.size());
  for (const JsonMember& member : found) {
    members.push_back({json_name(member), Value{member.value.text}});
  }
  return members;
}

std::optional<std::vector<JsonReader::Value>> JsonReader::elements(Value value) {
  if (slice_of(value).kind != JsonKind::array) {
    complain(expected("an array", slice_of(value)));
    return std::nullopt;
  }
  std::vector<JsonSlice> found;
  const auto scanned = scan_array(value.text, found);
  if (!scanned) {
    complain("cannot be read: " + scanned.fault().what);
    return std::nullopt;
  }
  std::vector<Value> elements;
  elements.reserve(found.size());
  for (const JsonSlice& slice : found) elements.push_back({slice.text});
  return elements;
}

void JsonReader::enter(std::string_view name) { path_.push_back({.name = name}); }
void JsonReader::enter(std::size_t index) { path_.push_back({.index = index}); }
void JsonReader::leave() { path_.pop_back(); }

void JsonReader::complain(std::string_view what) {
  if (fault_) return;
  std::string text;
  for (const Step& step : path_) {
    // A default view has no address; an empty name has one.
    if (step.name.data() == nullptr) {
      text += '[' + std::to_string(step.index) + ']';
    } else {
      if (!text.empty()) text += '.';
      text += step.name;
    }
  }
  if (text.empty()) text = "the value";
  text += ' ';
  text += what;
  fault_ = std::move(text);
}

}  // namespace longshore
