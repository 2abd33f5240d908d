// What operators do to jobs, one or many. Producers may cancel.
#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "api/api.h"
#include "api/jobs/bulk_action.h"
#include "api/jobs/job_answers.h"
#include "api/jobs/job_calls.h"
#include "api/jobs/list_filter.h"
#include "api/jobs/new_job_body.h"
#include "api/jobs/routes.h"
#include "api/wire/body.h"
#include "api/wire/calls.h"
#include "api/wire/error_body.h"
#include "core/record/state_filter.h"
#include "core/record/stored_json.h"
#include "core/rules/limits.h"
#include "core/text/names.h"

namespace longshore {
namespace {

constexpr std::size_t filter_bytes_shown = 1000;

Outcome read_outcome(Fields& fields) {
  Outcome outcome{.retryable = false};
  if (fields.has("result") == fields.has("error")) {
    fields.invalid("result", "send either result or error");
  }
  outcome.result = fields.json("result", result_bytes_max);
  if (std::optional<JobError> error = read_error(fields, "error"))
    outcome.error = std::move(*error);
  return outcome;
}

std::optional<int> small(std::optional<std::int64_t> value) {
  if (!value) return std::nullopt;
  return static_cast<int>(*value);
}

Redrive read_redrive(Fields& fields) {
  Redrive redrive;
  redrive.payload = fields.json("payload", payload_bytes_max);
  redrive.queue = fields.text("queue", queue_fault);
  redrive.priority = small(fields.integer("priority", 0, priority_max));
  redrive.max_retries = small(fields.integer("maxRetries", 0, retries_max));
  redrive.timeout = fields.seconds("timeoutSeconds", timeout_range);
  const StartTime start = read_start_time(fields);
  redrive.run_at = start.run_at;
  redrive.delay = start.delay;
  return redrive;
}

// Only what operators do is written to the audit trail; producers cancel their own jobs.
std::optional<Actor> actor_of_cancel(const Call& call) {
  const Role role = call.caller.role;
  if (role != Role::operator_ && role != Role::admin) return std::nullopt;
  return actor_of(call);
}

// The body of both bulk routes.
struct ManyBody {
  ListQuery filter;
  BulkAction many;
};

// For the audit trail; not cut inside a character.
std::string shortened(std::string_view filter) {
  if (filter.size() <= filter_bytes_shown) return std::string(filter);
  std::size_t end = filter_bytes_shown;
  while (end > 0 && (static_cast<unsigned char>(filter[end]) & 0xC0) == 0x80) --end;
  return std::string(filter.substr(0, end)) + "...";
}

ManyBody read_many(Fields& fields, const std::string& ns) {
  ManyBody wanted;
  fields.require("filter");
  fields.require("limit");
  if (std::optional<Fields> filter = fields.object("filter")) {
    JobFilter meant = read_filter(*filter, ns);
    wanted.filter = std::move(meant.query);
    wanted.many.fingerprint = meant.fingerprint;
    wanted.many.filter = shortened(fields.slice("filter")->text);
    filter->finish();
  }
  wanted.many.limit =
      static_cast<std::size_t>(fields.integer("limit", 1, batch_jobs_max).value_or(1));
  wanted.many.dry_run = fields.boolean("dryRun").value_or(false);
  if (const std::optional<Instant> as_of = fields.time("asOf")) {
    const Instant after = *as_of + Duration::millis(1);
    wanted.filter.created_before = std::min(wanted.filter.created_before.value_or(after), after);
  }
  return wanted;
}

// A dead job cannot be redriven while a live job has its key, nor can two of the same key.
std::function<bool(const Job&)> whose_key_is_free(Api& api, const std::string& ns) {
  using Key = std::pair<std::string, std::string>;
  return [&api, ns, taken = std::set<Key>()](const Job& job) mutable {
    if (job.job_key.empty()) return true;
    const Result<Job> holder = api.node().catalog().find_by_key(ns, job.type, job.job_key);
    if (holder && !is_terminal(holder->state)) return false;
    return taken.emplace(job.type, job.job_key).second;
  };
}

}  // namespace

void post_cancel(Api& api, CallRef call) {
  const std::optional<JobId> id = job_in_path(api, call);
  if (!id) return;
  Body body(call->request().body);
  const bool force = body.fields().boolean("force").value_or(false);
  if (const auto problem = body.problem()) return api.answer(call, *problem);
  Cancel cancel{.ns = call->caller.ns, .job = *id, .force = force, .actor = actor_of_cancel(*call)};
  api.submit(call, std::move(cancel), [&api, call](const Verdict& verdict) {
    const Settled& settled = std::get<Settled>(verdict);
    api.answer(call,
               json_response(status_json(settled.job, settled.status), settled.asked ? 202 : 200));
  });
}

void post_promote(Api& api, CallRef call) {
  const std::optional<JobId> id = job_in_path(api, call);
  if (!id || answered_for_body(api, call)) return;
  Promote promote{.ns = call->caller.ns, .job = *id, .actor = actor_of(*call)};
  submit_for_status(api, std::move(call), std::move(promote), 200);
}

void post_resolve(Api& api, CallRef call) {
  const std::optional<JobId> id = job_in_path(api, call);
  if (!id) return;
  Body body(call->request().body);
  Resolve resolve{.id = reply_id_of(api, *call),
                  .ns = call->caller.ns,
                  .job = *id,
                  .outcome = read_outcome(body.fields()),
                  .actor = actor_of(*call)};
  if (const auto problem = body.problem()) return api.answer(call, *problem);
  submit_for_status(api, std::move(call), std::move(resolve), 200);
}

void post_redrive(Api& api, CallRef call) {
  const std::optional<JobId> id = job_in_path(api, call);
  if (!id) return;
  Body body(call->request().body);
  Redrive redrive = read_redrive(body.fields());
  if (const auto problem = body.problem()) return api.answer(call, *problem);
  redrive.ns = call->caller.ns;
  redrive.job = *id;
  redrive.successor = api.node().ids().job(api.node().time().wall().now());
  redrive.actor = actor_of(*call);
  submit_for_status(api, std::move(call), std::move(redrive), 202);
}

void post_cancel_many(Api& api, CallRef call) {
  Body body(call->request().body);
  auto [filter, many] = read_many(body.fields(), call->caller.ns);
  if (const auto problem = body.problem()) return api.answer(call, *problem);
  filter.states = live_states_among(filter.states);
  if (!filter.states.empty()) many.queries = {filter};
  // Jobs that were asked to stop already would match every repeated call.
  many.accepts = [](const Job& job) { return !job.cancel_requested; };
  many.action = "cancel";
  many.command = [ns = call->caller.ns](const Job& job) {
    return Cancel{.ns = ns, .job = job.id, .actor = {}};
  };
  run_bulk_action(api, std::move(call), std::move(many));
}

void post_redrive_many(Api& api, CallRef call) {
  Body body(call->request().body);
  auto [filter, many] = read_many(body.fields(), call->caller.ns);
  filter.states = dead_letters_among(filter.states);
  if (filter.states.empty()) {
    body.fields().invalid("filter.state", std::string(no_dead_letters_fault));
  }
  if (const auto problem = body.problem()) return api.answer(call, *problem);
  filter.hide_redriven = true;
  many.queries = {filter};
  many.accepts = whose_key_is_free(api, call->caller.ns);
  many.action = "redrive";
  many.command = [&api, ns = call->caller.ns](const Job& job) {
    return Redrive{
        .ns = ns, .job = job.id, .successor = api.node().ids().job(api.node().time().wall().now())};
  };
  run_bulk_action(api, std::move(call), std::move(many));
}

}  // namespace longshore
