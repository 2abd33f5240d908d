// Whether the server is alive and ready.
#include <atomic>

#include "api/api.h"
#include "api/server/routes.h"
#include "api/wire/calls.h"
#include "api/wire/json_out.h"

namespace longshore {
namespace {

constexpr Duration store_timeout = Duration::seconds(2);

void write_store(JsonOut& out, const Node& node) {
  out.member("store", node.capabilities().name);
  out.member("durability", to_text(node.condition().durability));
}

// Public route: the store's own message, with hosts and names, is only logged.
const std::string out_of_service = "The store is unavailable; see the server's log";
const std::string went_back = "The store lost acknowledged commits; see the server's log";

Problem not_ready(const Node& node, Code code, std::string detail) {
  JsonOut members;
  members.open('{');
  write_store(members, node);
  const std::string text = members.take();
  return {.code = code,
          .detail = std::move(detail),
          .status = 503,
          .retry_after = 1,
          .members = text.substr(1)};  // without the brace
}

HttpResponse ready(const Node& node) {
  const std::string trouble = node.condition().trouble;
  const std::string alarm = node.losses().count > 0 ? went_back
                            : !trouble.empty()      ? trouble
                                                    : node.clock().alarm;
  JsonOut out;
  out.open('{');
  out.member("status", "ready");
  write_store(out, node);
  if (!alarm.empty()) out.member("alarm", alarm);
  out.close('}');
  return json_response(out.take());
}

std::string refuses(const StoreCondition& condition) {
  return "The store's durability is below the accepted class: it is " +
         std::string(to_text(condition.durability)) + " (" + condition.trouble +
         "); commits are refused until this is corrected";
}

void answer_readiness(Api& api, const CallRef& call, bool reached) {
  const Node& node = api.node();
  const StoreCondition condition = node.condition();
  if (!reached) return api.answer(call, not_ready(node, Code::store_unavailable, out_of_service));
  if (!condition.refuses) return api.answer(call, ready(node));
  api.answer(call, not_ready(node, Code::store_unavailable, refuses(condition)));
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
  const Node& node = api.node();
  if (api.draining()) {
    return api.answer(call, not_ready(node, Code::overloaded, "This node is stopping"));
  }
  if (node.out_of_service()) return answer_readiness(api, call, false);
  // The store's answer or the timeout answers, whichever is first.
  auto decided = std::make_shared<std::atomic<bool>>(false);
  api.timers().at(api.timers().now() + store_timeout, [&api, call, decided] {
    if (decided->exchange(true)) return;
    api.answer(call, not_ready(api.node(), Code::store_unavailable,
                               "The store did not answer within 2 s"));
  });
  ReadPool::Read read = [&api, call, decided](Catalog& catalog) {
    const Result<Instant> now = catalog.now();
    if (!decided->exchange(true)) answer_readiness(api, call, now.ok());
  };
  if (api.read_pool().push(ReadKind::point, read) || decided->exchange(true)) return;
  api.answer(call, not_ready(node, Code::overloaded, "Too many reads are waiting"));
}

}  // namespace longshore
