#include "api/metrics/routes.h"

#include "api/api.h"
#include "api/metrics/metrics.h"
#include "api/server/routes.h"
#include "api/wire/calls.h"
#include "api/wire/route_rows.h"

namespace longshore {

Resource metrics_resource() {
  static const std::vector<Route> rows = {
      get_route("/metrics", get_metrics, "Get metrics in Prometheus format", "text/plain"),
  };
  return {.routes = rows};
}

void get_metrics(Api& api, CallRef call) {
  if (answered_for_query(api, call)) return;
  api.read(call, ReadKind::scan, [&api, call](Catalog& catalog) {
    const Result<Instant> now = catalog.now();
    // If the store is unavailable, read it only once: each read may take its whole timeout.
    Result<std::vector<QueueView>> queues =
        now ? catalog.queues(call->caller.ns) : Result<std::vector<QueueView>>(now.error());
    Engine& engine = api.node().engine();
    // This node's own counters are reported even then.
    MetricsNow measured{.now = now ? *now : Instant(),
                        .commits_waiting = engine.commits_waiting(),
                        .claims_waiting = engine.claims_waiting(),
                        .losses = api.node().losses().count,
                        .clock = api.node().clock(),
                        .rule_conflicts = api.node().rule_conflicts().size(),
                        .store = api.node().capabilities().name,
                        .durability = to_text(api.node().condition().durability),
                        .version = api.options().version};
    if (now && queues) measured.queues = std::move(*queues);
    api.answer(call,
               {.content_type = std::string(metrics_content_type),
                .body = api.metrics().text(call->caller.ns, measured, api.options().metrics)});
  });
}

}  // namespace longshore
