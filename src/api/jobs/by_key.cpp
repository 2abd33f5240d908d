// The reply of an outside process, which knows a job by its type and key.
#include <limits>
#include <utility>

#include "api/api.h"
#include "api/jobs/job_calls.h"
#include "api/jobs/routes.h"
#include "api/wire/body.h"
#include "api/wire/error_body.h"
#include "core/record/stored_json.h"
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
  submit_for_status(api, call, std::move(finish), 200);
}

}  // namespace

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
