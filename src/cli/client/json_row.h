// One JSON object of a server's answer, read once and asked for its members.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/json_scan.h"

namespace longshore {

// The text must outlive it.
class JsonRow {
 public:
  explicit JsonRow(std::string_view json);

  // A string as it reads, anything else as its JSON; empty if absent or null.
  std::string text(std::string_view name) const;
  // The number, or zero.
  double number(std::string_view name) const;
  std::int64_t integer(std::string_view name) const {
    return static_cast<std::int64_t>(number(name));
  }
  bool boolean(std::string_view name) const { return raw(name) == "true"; }
  // As it is written; empty if absent.
  std::string_view raw(std::string_view name) const;
  JsonRow row(std::string_view name) const { return JsonRow(raw(name)); }
  std::vector<std::string_view> list(std::string_view name) const;
  std::vector<std::string> names() const;  // of all members, in order

 private:
  std::vector<JsonMember> members_;
};

// {"name": [elements]}, and what follows it inside the braces.
std::string json_list(std::string_view name, const std::vector<std::string>& elements,
                      std::string_view more = "");

}  // namespace longshore
