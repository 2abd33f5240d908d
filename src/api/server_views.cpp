// What a server says about itself: whether it lives and is ready, its metrics, its page.
#include <atomic>

#include "api/json_out.h"
#include "api/metrics.h"
#include "api/operator_calls.h"
#include "api/operator_routes.h"
#include "api/ui_page.h"

namespace longshore {
namespace {

constexpr Duration store_patience = Duration::seconds(2);

void write_store(JsonOut& out, const Capabilities& capabilities) {
  out.member("store", capabilities.name);
  out.member("durability", to_text(capabilities.durability));
}

// Everybody may ask: what the store itself says, with its hosts and names, is for the log.
const std::string out_of_service = "The store cannot be used; the server's log says why";

Problem not_ready(const Capabilities& capabilities, Code code, std::string detail) {
  JsonOut members;
  members.open('{');
  write_store(members, capabilities);
  const std::string text = members.take();
  return {.code = code,
          .detail = std::move(detail),
          .status = 503,
          .retry_after = 1,
          .members = text.substr(1)};  // without the brace
}

std::string ready_json(const Capabilities& capabilities, const Losses& losses) {
  JsonOut out;
  out.open('{');
  out.member("status", "ready");
  write_store(out, capabilities);
  if (losses.count > 0) out.member("alarm", losses.latest);
  out.close('}');
  return out.take();
}

}  // namespace

std::string_view to_text(Durability durability) {
  switch (durability) {
    case Durability::a:
      return "A";
    case Durability::b:
      return "B";
    case Durability::c:
      break;
  }
  return "C";
}

void get_livez(Api& api, CallRef call) {
  if (answered_for_query(api, call)) return;
  api.answer(call, json_response(R"({"status":"alive"})"));
}

void get_readyz(Api& api, CallRef call) {
  if (answered_for_query(api, call)) return;
  const Capabilities& capabilities = api.node().capabilities();
  if (api.draining()) {
    return api.answer(call, not_ready(capabilities, Code::overloaded, "this node is stopping"));
  }
  if (const auto error = api.node().out_of_service()) {
    return api.answer(call, not_ready(capabilities, Code::store_unavailable, out_of_service));
  }
  // Whoever is first answers: the store, or the end of patience with it.
  auto decided = std::make_shared<std::atomic<bool>>(false);
  api.timers().at(api.timers().now() + store_patience, [&api, call, decided] {
    if (decided->exchange(true)) return;
    api.answer(call, not_ready(api.node().capabilities(), Code::store_unavailable,
                               "the store does not answer"));
  });
  ReadLanes::Read read = [&api, call, decided](Catalog& catalog) {
    const Result<Instant> now = catalog.now();
    if (decided->exchange(true)) return;
    const Capabilities& known = api.node().capabilities();
    if (now) return api.answer(call, json_response(ready_json(known, api.node().losses())));
    api.answer(call, not_ready(known, Code::store_unavailable, out_of_service));
  };
  if (api.lanes().push(Lane::point, read) || decided->exchange(true)) return;
  api.answer(call, not_ready(capabilities, Code::overloaded, "too many readings wait"));
}

void get_metrics(Api& api, CallRef call) {
  if (answered_for_query(api, call)) return;
  api.read(call, Lane::scan, [&api, call](Catalog& catalog) {
    const Result<Instant> now = catalog.now();
    Result<std::vector<QueueView>> queues = catalog.queues(call->caller.ns);
    Engine& engine = api.node().engine();
    // What was counted here is worth telling also when the store is away.
    MetricsNow measured{.now = now ? *now : Instant(),
                        .commits_waiting = engine.commits_waiting(),
                        .claims_waiting = engine.claims_waiting(),
                        .losses = api.node().losses().count,
                        .rule_conflicts = api.node().rule_conflicts().size(),
                        .store = api.node().capabilities().name,
                        .durability = to_text(api.node().capabilities().durability),
                        .version = api.options().version};
    if (now && queues) measured.queues = std::move(*queues);
    api.answer(call, {.content_type = std::string(metrics_content_type),
                      .body = api.metrics().text(call->caller.ns, measured)});
  });
}

void get_ui(Api& api, CallRef call) { api.answer(call, ui_response(call->path, call->request())); }

}  // namespace longshore
