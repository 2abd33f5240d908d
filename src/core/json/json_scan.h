// Validates a JSON text (RFC 8259, strictly) in one pass and returns the positions of its parts.
// Nothing is copied: slices point into the text and are valid as long as it is. Read slices with
// core/json/json_value.h.
//
// Besides syntax errors, these are rejected: invalid UTF-8, a byte order mark, raw control
// characters and unpaired surrogates in strings, and text after the value. Numbers can be of any
// size.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace longshore {

enum class JsonKind { null, boolean, number, string, array, object };

struct JsonSlice {
  std::string_view text;  // without surrounding space, with quotes or brackets
  JsonKind kind = JsonKind::null;
};

struct JsonMember {
  std::string_view raw_name;  // without the quotes, not unescaped
  bool name_has_escapes = false;
  JsonSlice value;
};

struct JsonFault {
  enum class Kind {
    syntax,          // not JSON
    too_deep,        // an array or object inside depth_max others; the rest was not read
    bad_utf8,        // bytes in a string that are not UTF-8
    duplicate_name,  // valid, but two members of the listed object have the same name
    wrong_kind,      // valid, but not the expected array or object
  };
  Kind kind = Kind::syntax;
  // Of the first invalid byte, or of the backslash of an invalid escape; the text's size if it ends
  // too early.
  std::size_t offset = 0;
  std::string what;  // a message without a full stop
};

// A T or a JsonFault. Accessing the other one is a bug and aborts.
template <class T>
class [[nodiscard]] ScanResult {
 public:
  ScanResult(T value) : held_(std::in_place_index<0>, std::move(value)) {}          // NOLINT
  ScanResult(JsonFault fault) : held_(std::in_place_index<1>, std::move(fault)) {}  // NOLINT

  bool ok() const { return held_.index() == 0; }
  explicit operator bool() const { return ok(); }
  const T& operator*() const { return *held(std::get_if<0>(&held_)); }
  const T* operator->() const { return held(std::get_if<0>(&held_)); }
  const JsonFault& fault() const { return *held(std::get_if<1>(&held_)); }

 private:
  template <class Held>
  static const Held* held(const Held* value) {
    if (value == nullptr) std::abort();
    return value;
  }

  std::variant<T, JsonFault> held_;
};

// The maximum nesting of arrays and objects, unless the contract says otherwise.
inline constexpr int json_depth_default = 64;
// The upper limit of depth_max.
inline constexpr int json_depth_limit = 256;

// A whole document, with or without space around it.
ScanResult<JsonSlice> scan_json(std::string_view text, int depth_max = json_depth_default);

// The same, and lists the members of the top-level object in order. `members` is cleared first and
// is empty after a fault. Names are compared unescaped; names of nested objects are not compared.
// The object itself counts as one level.
ScanResult<JsonSlice> scan_object(std::string_view text, std::vector<JsonMember>& members,
                                  int depth_max = json_depth_default);

// The same for the elements of the top-level array.
ScanResult<JsonSlice> scan_array(std::string_view text, std::vector<JsonSlice>& elements,
                                 int depth_max = json_depth_default);

}  // namespace longshore
