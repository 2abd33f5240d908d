#include "api/jobs/cancel.h"

#include "api/api.h"
#include "api/jobs/job_answers.h"
#include "api/wire/body.h"
#include "api/wire/job_id.h"

namespace longshore {
namespace {

// Only what operators do is written to the audit trail; producers withdraw their own jobs.
std::optional<Actor> actor_of(const Call& call) {
  const Role role = call.caller.role;
  if (role != Role::operator_ && role != Role::admin) return std::nullopt;
  return Actor{.name = call.caller.name, .request_id = call.request_id};
}

}  // namespace

void post_cancel(Api& api, CallRef call) {
  const std::optional<JobId> id = parse_job_id(call->parameters[0]);
  if (!id) return api.answer(call, no_such_job());
  Body body(call->request().body);
  const bool force = body.fields().boolean("force").value_or(false);
  if (const auto problem = body.problem()) return api.answer(call, *problem);
  Cancel command{.ns = call->caller.ns, .job = *id, .force = force, .actor = actor_of(*call)};
  api.submit(call, std::move(command), [&api, call](const Verdict& verdict) {
    const Settled& settled = std::get<Settled>(verdict);
    api.answer(call, HttpResponse{.status = settled.asked ? 202 : 200,
                                  .body = status_json(settled.job, settled.status)});
  });
}

}  // namespace longshore
