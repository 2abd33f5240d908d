// Targets of requests, taken apart.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace longshore {

struct Target {
  std::string_view path;  // as sent, without the version: "/v1/jobs" and "/jobs" are "/jobs"
  std::vector<std::string> segments;  // unescaped: {"jobs", "..."}
  std::vector<std::pair<std::string, std::string>> query;
};

// Nothing if an escape is not "%" and two hexadecimal digits.
std::optional<Target> parse_target(std::string_view target);

// "%41" becomes "A". In a query "+" is a space.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space = false);

}  // namespace longshore
