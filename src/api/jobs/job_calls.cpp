#include "api/jobs/job_calls.h"

#include <utility>

#include "api/api.h"
#include "api/jobs/job_answers.h"
#include "api/wire/calls.h"
#include "core/text/hash.h"

namespace longshore {

Problem no_such_job() { return not_found("No such job; it may have been pruned"); }

Problem no_job_of_key() { return not_found("No job of this type has this key"); }

std::optional<JobId> job_in_path(Api& api, const CallRef& call) {
  const std::optional<JobId> id = parse_job_id(call->parameters.at(0));
  if (!id) api.answer(call, no_such_job());
  return id;
}

void submit_for_status(Api& api, CallRef call, Command command, int status) {
  api.submit(call, std::move(command), [&api, call, status](const Verdict& verdict) {
    const Settled& settled = std::get<Settled>(verdict);
    HttpResponse response = json_response(status_json(settled.job, settled.status), status);
    if (status == 202) response.headers.push_back({"Location", "/jobs/" + to_text(settled.job)});
    api.answer(call, std::move(response));
  });
}

RequestId reply_id_of(Api& api, const Call& call) {
  const std::string_view name = call.request().header("Idempotency-Key");
  if (name.empty()) return api.node().ids().any<RequestId>();
  std::string text = call.caller.ns + '\n';
  for (const std::string& parameter : call.parameters) text += parameter + '\n';
  const Hash128 hash = hash128(text + std::string(name));
  return {.high = hash.high, .low = hash.low};
}

}  // namespace longshore
