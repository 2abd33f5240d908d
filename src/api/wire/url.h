// Parses request targets.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace longshore {

struct Target {
  std::string_view path;  // as sent, without the version: "/v1/jobs" and "/jobs" are "/jobs"
  std::vector<std::string> segments;  // decoded: {"jobs", "..."}
  std::vector<std::pair<std::string, std::string>> query;
};

// Nothing if a percent-encoding is invalid.
std::optional<Target> parse_target(std::string_view target);

// "%41" becomes "A". In a query "+" means a space.
std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space = false);

}  // namespace longshore
