// Statistics of a window of time in JSON.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "longshore/command.h"
#include "longshore/time.h"

namespace longshore {

struct StatsQuery {
  std::string_view name;  // "1h", as the request wrote it
  Duration window;
  std::optional<std::string> queue;
  std::optional<std::string> type;
};

// The first minute of a window: it has one entry for each minute, the present included.
Instant stats_since(Duration window, Instant now);
std::string stats_json(const StatsQuery& query, std::span<const MinuteRow> rows, Instant now);

}  // namespace longshore
