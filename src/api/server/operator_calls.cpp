#include "api/server/operator_calls.h"

#include "api/jobs/job_answers.h"
#include "api/wire/body.h"
#include "api/wire/query.h"
#include "core/text/names.h"

namespace longshore {

HttpResponse json_response(std::string body, int status) {
  return {.status = status, .body = std::move(body)};
}

std::optional<JobId> job_in_path(Api& api, const CallRef& call) {
  const std::optional<JobId> id = parse_job_id(call->parameters.at(0));
  if (!id) api.answer(call, not_found("there is no such job"));
  return id;
}

std::optional<std::string> queue_in_path(Api& api, const CallRef& call) {
  const std::string& queue = call->parameters.at(0);
  if (const std::optional<std::string> fault = queue_fault(queue)) {
    api.answer(call, invalid_field("queue", *fault));
    return std::nullopt;
  }
  return queue;
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

void submit_for_status(Api& api, CallRef call, Command command, int status) {
  api.submit(call, std::move(command), [&api, call, status](const Verdict& verdict) {
    const Settled& settled = std::get<Settled>(verdict);
    HttpResponse response = json_response(status_json(settled.job, settled.status), status);
    if (status == 202) response.headers.push_back({"Location", "/jobs/" + to_text(settled.job)});
    api.answer(call, std::move(response));
  });
}

}  // namespace longshore
