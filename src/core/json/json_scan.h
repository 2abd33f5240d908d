// One pass over a JSON text that proves all of it sound (RFC 8259, strictly) and says where its
// parts lie. Nothing is copied: slices point into the text and live as long as it does. What a
// slice means is read with core/json/json_value.h.
//
// Refused besides bad grammar: text that is not UTF-8, a byte order mark, raw control characters
// and half surrogate pairs in strings, and anything after the value. Numbers may be of any size.
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
  std::string_view text;  // exactly the value: no space around it, quotes and brackets included
  JsonKind kind = JsonKind::null;
};

struct JsonMember {
  std::string_view raw_name;  // what is between the quotes, escapes as written
  bool name_has_escapes = false;
  JsonSlice value;
};

struct JsonFault {
  enum class Kind {
    syntax,          // not JSON
    too_deep,        // an array or object inside depth_max others; what follows was not read
    bad_utf8,        // bytes in a string that are not UTF-8
    duplicate_name,  // sound, but two members of the listed object have one name
    wrong_kind,      // sound, but not the array or object that was to be listed
  };
  Kind kind = Kind::syntax;
  // Of the first byte that is wrong, which for an escape is its backslash; the text's size if it
  // ended too early.
  std::size_t offset = 0;
  std::string what;  // one sentence without a full stop, for people
};

// A T or a JsonFault. Asking for the one that is not there is a bug and aborts.
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

// How deep arrays and objects may lie within each other where the contract says nothing else.
inline constexpr int json_depth_default = 64;
// No scan goes deeper, whatever depth_max says.
inline constexpr int json_depth_limit = 256;

// A whole document, with or without space around it.
ScanResult<JsonSlice> scan_json(std::string_view text, int depth_max = json_depth_default);

// The same, and lists the members of the document's object in the order written. `members` is
// emptied first and holds nothing after a fault. Names count as equal if they are equal once
// unescaped; names further inside are not compared. The object itself counts as one level.
ScanResult<JsonSlice> scan_object(std::string_view text, std::vector<JsonMember>& members,
                                  int depth_max = json_depth_default);

// The same for the elements of the document's array.
ScanResult<JsonSlice> scan_array(std::string_view text, std::vector<JsonSlice>& elements,
                                 int depth_max = json_depth_default);

}  // namespace longshore
