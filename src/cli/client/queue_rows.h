// The queues of GET /queues, and a table of them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/terminal/table.h"
#include "client/http/http_client.h"
#include "longshore/error.h"

namespace longshore {

struct QueueRow {
  std::string name;
  bool paused = false;
  std::int64_t queued = 0, later = 0, running = 0,
               dead = 0;  // later: scheduled or waiting for a retry
  std::optional<double> oldest_seconds;
  double enqueued = 0, started = 0, finished = 0;  // per second
};

// Fetches all pages and returns them as one object without a cursor: {"queues": [...]}.
Result<std::string> fetch_queues(HttpClient& client);

std::vector<QueueRow> read_queues(std::string_view json);

// The row at `marked` begins with a selection mark.
Table queue_table(const std::vector<QueueRow>& rows, std::optional<std::size_t> marked = {});

}  // namespace longshore
