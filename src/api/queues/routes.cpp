#include "api/queues/routes.h"

#include "api/wire/route_rows.h"

namespace longshore {

Resource queue_resource() {
  static const std::vector<Route> rows = {
      list_route("/queues", get_queues, "List queues by name: depth, age, rates, pause", "Queues",
                 {"pageLimit", "cursor"}),
      post_route("/queues/{queue}/pause", post_pause, "Pause a queue: lease no more of its jobs",
                 "EmptyRequest", {200, "QueuePause"}),
      post_route("/queues/{queue}/resume", post_resume, "Resume a queue", "EmptyRequest",
                 {200, "QueuePause"}),
      list_route("/stats", get_stats, "Get statistics by minute", "Stats",
                 {"window", "queue", "jobType"}),
  };
  return {.routes = rows, .schemas = queue_schemas(), .parameters = queue_parameters()};
}

}  // namespace longshore
