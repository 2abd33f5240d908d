// What a worker reports about one job that it holds.
#include <utility>

#include "api/api.h"
#include "api/jobs/job_answers.h"
#include "api/jobs/job_calls.h"
#include "api/leases/lease_json.h"
#include "api/leases/routes.h"
#include "api/wire/body.h"
#include "api/wire/error_body.h"
#include "core/record/stored_json.h"

namespace longshore {
namespace {

void answer_settled(Api& api, const CallRef& call, const Verdict& verdict) {
  const Settled& settled = std::get<Settled>(verdict);
  api.answer(call, HttpResponse{.body = status_json(settled.job, settled.status)});
}

void answer_heartbeat(Api& api, const CallRef& call, const Verdict& verdict) {
  const Beaten& beaten = std::get<Beaten>(verdict);
  JsonOut out;
  out.open('{');
  out.member("leaseExpiresAt", beaten.lease_expires_at);
  out.member("cancelRequested", beaten.cancel_requested);
  out.close('}');
  api.answer(call, HttpResponse{.body = out.take()});
}

// Reads the body with `fill` and sends the command.
template <class Report, class Fill, class Answer>
void submit_report(Api& api, const CallRef& call, BodyShape shape, const Fill& fill,
                   const Answer& answer) {
  const std::optional<JobId> id = parse_job_id(call->parameters[0]);
  if (!id) return api.answer(call, no_such_job());
  Body body(call->request().body, shape);
  Report report;
  report.job = *id;
  report.ns = call->caller.ns;
  report.token = read_lease_token(body.fields());
  fill(report, body.fields());
  if (const auto problem = body.problem()) return api.answer(call, *problem);
  api.submit(call, std::move(report),
             [&api, call, answer](const Verdict& verdict) { answer(api, call, verdict); });
}

}  // namespace

void post_heartbeat(Api& api, CallRef call) {
  const auto fill = [&](Heartbeat& beat, Fields& fields) {
    beat.id = api.node().ids().any<RequestId>();
    beat.extend = fields.seconds("extendSeconds", lease_range);
    beat.progress = fields.number("progress", 0, 100);
    beat.checkpoint = fields.json("checkpoint", checkpoint_bytes_max);
    beat.log = read_plain_text(fields, "log").value_or("");
  };
  submit_report<Heartbeat>(api, call, {.levels = 1}, fill, answer_heartbeat);
}

void post_complete(Api& api, CallRef call) {
  const auto fill = [](Complete& complete, Fields& fields) {
    complete.result = fields.json("result", result_bytes_max).value_or("null");
    complete.log = read_plain_text(fields, "log").value_or("");
  };
  submit_report<Complete>(api, call, {.levels = 1}, fill, answer_settled);
}

void post_fail(Api& api, CallRef call) {
  const auto fill = [](Fail& fail, Fields& fields) {
    fields.require("error");
    fail.error = read_error(fields, "error").value_or(JobError());
    fail.retryable = fields.boolean("retryable").value_or(true);
    fail.retry_after = fields.seconds("retryAfterSeconds", retry_after_range);
    fail.log = read_plain_text(fields, "log").value_or("");
  };
  submit_report<Fail>(api, call, {.levels = 2}, fill, answer_settled);
}

void post_release(Api& api, CallRef call) {
  const auto fill = [](Release& release, Fields& fields) {
    release.delay = fields.seconds("delaySeconds", delay_range);
    release.checkpoint = fields.json("checkpoint", checkpoint_bytes_max);
    release.log = read_plain_text(fields, "log").value_or("");
  };
  submit_report<Release>(api, call, {.levels = 1}, fill, answer_settled);
}

void post_handoff(Api& api, CallRef call) {
  const auto fill = [](HandOff& hand_off, Fields& fields) {
    hand_off.timeout = fields.seconds("timeoutSeconds", timeout_range);
  };
  submit_report<HandOff>(api, call, {.levels = 1}, fill, answer_settled);
}

}  // namespace longshore
