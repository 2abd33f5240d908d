#include "cli/client/queue_rows.h"

#include "cli/client/json_row.h"
#include "cli/client/server_calls.h"
#include "cli/terminal/figures.h"
#include "client/http/escape.h"

namespace longshore {

Result<std::string> fetch_queues(HttpClient& client) {
  std::string all;
  std::string path = "/queues";
  while (!path.empty()) {
    Result<HttpReply> reply = call_api(client, {.path = path});
    if (!reply) return reply.error();
    const JsonRow page(reply->body);
    const std::string_view queues = page.raw("queues");
    if (queues.size() > 2)
      all += (all.empty() ? "" : ",") + std::string(queues.substr(1, queues.size() - 2));
    const std::string next = page.text("nextCursor");
    path = next.empty() ? "" : "/queues?cursor=" + escaped(next);
  }
  return "{\"queues\":[" + all + "]}";
}

std::vector<QueueRow> read_queues(std::string_view json) {
  std::vector<QueueRow> rows;
  const JsonRow answer(json);
  for (const std::string_view queue : answer.list("queues")) {
    const JsonRow row(queue);
    const JsonRow depth = row.row("depth");
    const JsonRow rates = row.row("rates");
    QueueRow read{.name = row.text("queue"), .paused = row.boolean("paused")};
    read.queued = depth.integer("QUEUED") + depth.integer("CREATED");
    read.later = depth.integer("SCHEDULED") + depth.integer("RETRY");
    read.running = depth.integer("RUNNING") + depth.integer("WAITING");
    read.dead = depth.integer("DEAD");
    if (!row.text("oldestAgeSeconds").empty()) read.oldest_seconds = row.number("oldestAgeSeconds");
    read.enqueued = rates.number("enqueuedPerSecond");
    read.started = rates.number("startedPerSecond");
    read.finished = rates.number("finishedPerSecond");
    rows.push_back(std::move(read));
  }
  return rows;
}

Table queue_table(const std::vector<QueueRow>& rows, std::optional<std::size_t> marked) {
  Table table({{.title = marked ? "  QUEUE" : "QUEUE", .least = 8},
               {.title = "QUEUED", .right = true},
               {.title = "RUNNING", .right = true},
               {.title = "LATER", .right = true, .rank = 3},
               {.title = "DEAD", .right = true},
               {.title = "OLDEST", .right = true, .rank = 2},
               {.title = "IN", .right = true, .rank = 4},
               {.title = "DONE", .right = true, .rank = 1},
               {.title = ""}});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const QueueRow& row = rows[i];
    const std::string mark = !marked ? "" : i == *marked ? "> " : "  ";
    const std::string oldest =
        row.oldest_seconds
            ? age_text(Duration::millis(static_cast<std::int64_t>(*row.oldest_seconds * 1000)))
            : "";
    table.add({{mark + row.name, marked && i == *marked ? Colour::bold : Colour::plain},
               {count_text(row.queued)},
               {count_text(row.running), row.running > 0 ? Colour::blue : Colour::plain},
               {count_text(row.later)},
               {count_text(row.dead), row.dead > 0 ? Colour::red : Colour::plain},
               {oldest},
               {rate_text(row.enqueued)},
               {rate_text(row.finished)},
               {row.paused ? "paused" : "", Colour::yellow}});
  }
  return table;
}

}  // namespace longshore
