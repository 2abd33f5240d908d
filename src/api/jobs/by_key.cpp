#include "api/jobs/by_key.h"

#include <limits>
#include <utility>

#include "api/api.h"
#include "api/jobs/job_answers.h"
#include "api/wire/body.h"
#include "api/wire/error_body.h"
#include "api/wire/job_id.h"
#include "core/record/stored_json.h"
#include "core/text/hash.h"
#include "core/text/names.h"

namespace longshore {
namespace {

template <class Fill>
void finish(Api& api, const CallRef& call, BodyShape shape, const Fill& fill) {
  Body body(call->request().body, shape);
  Fields& fields = body.fields();
  FinishByKey finish{.id = reply_id_of(api, *call),
                     .ns = call->caller.ns,
                     .type = call->parameters[0],
                     .key = call->parameters[1]};
  fill(finish.outcome, fields);
  finish.fence = fields.integer("fence", 0, std::numeric_limits<std::int64_t>::max());
  if (const auto problem = body.problem()) return api.answer(call, *problem);
  if (queue_fault(finish.type) || key_fault(finish.key)) return api.answer(call, no_job_of_key());
  api.submit(call, std::move(finish), [&api, call](const Verdict& verdict) {
    const Settled& settled = std::get<Settled>(verdict);
    api.answer(call, HttpResponse{.body = status_json(settled.job, settled.status)});
  });
}

}  // namespace

RequestId reply_id_of(Api& api, const Call& call) {
  const std::string_view name = call.request().header("Idempotency-Key");
  if (name.empty()) return api.node().ids().any<RequestId>();
  std::string text = call.caller.ns + '\n';
  for (const std::string& parameter : call.parameters) text += parameter + '\n';
  const Hash128 hash = hash128(text + std::string(name));
  return {.high = hash.high, .low = hash.low};
}

void post_complete_by_key(Api& api, CallRef call) {
  finish(api, call, {.levels = 1}, [](Outcome& outcome, Fields& fields) {
    outcome.result = fields.json("result", result_bytes_max).value_or("null");
  });
}

void post_fail_by_key(Api& api, CallRef call) {
  finish(api, call, {.levels = 2}, [](Outcome& outcome, Fields& fields) {
    fields.require("error");
    outcome.error = read_error(fields, "error").value_or(JobError());
    outcome.retryable = fields.boolean("retryable").value_or(true);
  });
}

}  // namespace longshore
