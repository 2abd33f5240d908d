#include "api/wire/calls.h"

#include <utility>

#include "api/api.h"
#include "api/wire/body.h"
#include "api/wire/query.h"

namespace longshore {
namespace {

// Parsed in about a millisecond.
constexpr std::size_t small_body = 256 * 1024;

}  // namespace

HttpResponse json_response(std::string body, int status) {
  return {.status = status, .body = std::move(body)};
}

Actor actor_of(const Call& call) {
  return {.name = call.caller.name, .request_id = call.request_id};
}

bool answered_for_query(Api& api, const CallRef& call) {
  const std::optional<Problem> problem = Query(*call).problem();
  if (problem) api.answer(call, *problem);
  return problem.has_value();
}

bool answered_for_body(Api& api, const CallRef& call) {
  const std::optional<Problem> problem = body_is_not_empty(call->request().body);
  if (problem) api.answer(call, *problem);
  return problem.has_value();
}

void handle_body(Api& api, CallRef call, Handle handle) {
  if (call->request().body.size() <= small_body) return handle(api, std::move(call));
  ReadPool::Read read = [&api, call, handle](Catalog&) { handle(api, call); };
  if (!api.read_pool().push(ReadKind::scan, read, call->caller.ns + "/bodies")) {
    handle(api, std::move(call));
  }
}

}  // namespace longshore
