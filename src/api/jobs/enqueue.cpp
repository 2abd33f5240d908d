// Enqueuing one job, or many in one transaction.
#include <algorithm>
#include <utility>

#include "api/api.h"
#include "api/jobs/job_answers.h"
#include "api/jobs/job_calls.h"
#include "api/jobs/new_job_body.h"
#include "api/jobs/routes.h"
#include "api/wire/body.h"
#include "api/wire/calls.h"
#include "api/wire/trace.h"
#include "core/rules/limits.h"
#include "runtime/new_job.h"

namespace longshore {
namespace {

// Larger answers are written on the read pool, not on the committing thread.
constexpr std::size_t quick_answer = 100;

std::string_view traceparent_of(const HttpRequest& request) {
  const std::string_view given = request.header("traceparent");
  return is_traceparent(given) ? given : std::string_view();
}

bool is_idempotency_key(const HttpHeader& header) {
  constexpr std::string_view name = "idempotency-key";
  return std::ranges::equal(header.name, name, [](char sent, char small) {
    return sent == small || (sent >= 'A' && sent <= 'Z' && sent - 'A' == small - 'a');
  });
}

// A null view if absent. Proxies may repeat a header; two different values are a fault.
std::string_view idempotency_key_of(const HttpRequest& request, Faults& faults) {
  const std::string_view first = request.header("Idempotency-Key");
  const auto differs = [&](const HttpHeader& header) {
    return is_idempotency_key(header) && header.value != first;
  };
  if (std::ranges::any_of(request.headers, differs)) {
    faults.invalid("Idempotency-Key", "was sent twice with different values");
  }
  return first;
}

// A secret of another namespace, or for other URLs, is refused now rather than at delivery.
void check_callback(const Api& api, const Call& call, const NewJob& job, Fields& fields) {
  if (!job.callback || job.callback->url.empty()) return;
  if (auto fault = api.options().secrets.fault(call.caller.ns, *job.callback)) {
    fields.invalid(fault->field, std::move(fault->detail));
  }
}

HttpResponse one_accepted(const EnqueuedJob& job) {
  return {.status = 202,
          .headers = {{"Location", "/jobs/" + to_text(job.id)}},
          .body = status_json(job.id, job.status)};
}

HttpResponse all_accepted(const Enqueued& enqueued) {
  JsonOut out;
  out.open('{');
  out.key("jobs");
  out.open('[');
  for (const EnqueuedJob& job : enqueued.jobs) write_status(out, job.id, job.status);
  out.close(']');
  out.close('}');
  return {.status = 202, .body = out.take()};
}

// Where recording and accepting are two steps, the producer waits for the first only. If this node
// dies before the second, a sweep accepts the jobs.
void accept(Api& api, const std::string& ns, const Enqueued& enqueued) {
  if (api.node().rules()->accept == Rules::Accept::one_phase) return;
  Accept second{.ns = ns};
  for (const EnqueuedJob& job : enqueued.jobs) {
    if (job.fresh) second.jobs.push_back(job.id);
  }
  if (second.jobs.empty()) return;
  api.node().engine().submit(std::move(second), [](const Result<Answered>&) {
    // On failure, a sweep accepts them.
  });
}

void enqueue(Api& api, const CallRef& call, std::vector<NewJob> jobs, bool batch) {
  Enqueue command{.ns = call->caller.ns,
                  .jobs = std::move(jobs),
                  .reject_mismatch = api.options().reject_mismatch};
  api.send(std::move(command), [&api, call, batch](Result<Answered> answered) {
    if (!answered) return api.answer(call, api.problem_of(answered.error()));
    if (const auto* refusal = std::get_if<Refusal>(&answered->verdict)) {
      const std::string prefix =
          batch ? "jobs[" + std::to_string(refusal->index) + "]." : std::string();
      return api.answer(call, to_problem(*refusal, prefix));
    }
    Enqueued enqueued = std::get<Enqueued>(std::move(answered->verdict));
    accept(api, call->caller.ns, enqueued);
    if (!batch) return api.answer(call, one_accepted(enqueued.jobs.front()));
    if (enqueued.jobs.size() <= quick_answer) return api.answer(call, all_accepted(enqueued));
    api.later(
        [&api, call, enqueued = std::move(enqueued)] { api.answer(call, all_accepted(enqueued)); });
  });
}

void read_batch(Api& api, CallRef call) {
  const HttpRequest& request = call->request();
  Body body(request.body, {.levels = 3});
  Fields& fields = body.fields();
  if (!request.header("Idempotency-Key").empty()) {
    fields.faults().invalid("Idempotency-Key",
                            "must not be sent with a batch; set idempotencyKey in each job");
  }
  std::vector<NewJob> jobs;
  fields.require("jobs");
  if (const auto elements = fields.array("jobs", 1, batch_jobs_max)) {
    jobs.reserve(elements->size());
    for (const Fields::Element& element : *elements) {
      if (fields.faults().full()) break;
      std::optional<Fields> job = Fields::of(fields.faults(), element.place, element.slice);
      if (!job) continue;
      jobs.push_back(read_new_job(*job, api.node(), {.traceparent = traceparent_of(request)}));
      check_callback(api, *call, jobs.back(), *job);
    }
  }
  if (const auto problem = body.problem()) return api.answer(call, *problem);
  enqueue(api, call, std::move(jobs), true);
}

}  // namespace

void post_job(Api& api, CallRef call) {
  const HttpRequest& request = call->request();
  Body body(request.body);
  const std::string_view key = idempotency_key_of(request, body.fields().faults());
  std::vector<NewJob> jobs;
  jobs.push_back(read_new_job(body.fields(), api.node(),
                              {.idempotency_key = key, .traceparent = traceparent_of(request)}));
  check_callback(api, *call, jobs.back(), body.fields());
  if (const auto problem = body.problem()) return api.answer(call, *problem);
  enqueue(api, call, std::move(jobs), false);
}

void enqueue_job(Api& api, const CallRef& call, NewJob job) {
  Node& node = api.node();
  job.id = node.ids().job(node.time().wall().now());
  job.id_is_made = true;
  job.policy = policy_for(job.type, job.queue, {}, node.options(), *node.rules());
  job.body.traceparent = traceparent_of(call->request());
  if (!job.idempotency_key.empty()) job.body_hash = request_hash(job, {});
  std::vector<NewJob> jobs;
  jobs.push_back(std::move(job));
  enqueue(api, call, std::move(jobs), false);
}

void post_batch(Api& api, CallRef call) { handle_body(api, std::move(call), read_batch); }

}  // namespace longshore
