// One JSON object of a server's reply, scanned once, with access to its members.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json_scan.h"

namespace longshore {

// REQUIRES: the text outlives the row.
class JsonRow {
 public:
  explicit JsonRow(std::string_view json);

  // A decoded string, or the JSON text of any other value; empty if absent or null.
  std::string text(std::string_view name) const;
  // The number, or zero.
  double number(std::string_view name) const;
  std::int64_t integer(std::string_view name) const {
    return static_cast<std::int64_t>(number(name));
  }
  bool boolean(std::string_view name) const { return raw(name) == "true"; }
  // The JSON text; empty if absent.
  std::string_view raw(std::string_view name) const;
  JsonRow row(std::string_view name) const { return JsonRow(raw(name)); }
  std::vector<std::string_view> list(std::string_view name) const;
  std::vector<std::string> names() const;  // of all members, in order

 private:
  std::vector<JsonMember> members_;
};

// {"name": [elements]}, followed by `more` inside the braces.
std::string json_list(std::string_view name, const std::vector<std::string>& elements,
                      std::string_view more = "");

}  // namespace longshore
