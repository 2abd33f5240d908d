#include "api/queues/routes.h"

#include "api/wire/route_rows.h"

namespace longshore {

Resource queue_resource() {
  static const std::vector<Route> rows = {
      list_route("/queues", get_queues, "Queues by name: depth, age, rates, pause", "Queues",
                 {"pageLimit", "cursor"}),
      post_route("/queues/{queue}/pause", post_pause, "Hand out no more jobs of a queue",
                 "EmptyRequest", {200, "QueuePause"}),
      post_route("/queues/{queue}/resume", post_resume, "Hand out jobs of a queue again",
                 "EmptyRequest", {200, "QueuePause"}),
      list_route("/stats", get_stats, "Figures, minute by minute", "Stats",
                 {"window", "queue", "jobType"}),
  };
  return {.routes = rows, .schemas = queue_schemas(), .parameters = queue_parameters()};
}

}  // namespace longshore
