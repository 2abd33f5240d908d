#include "api/jobs/explain.h"

#include <algorithm>
#include <cmath>

#include "api/wire/json_out.h"
#include "core/text/time_text.h"
#include "core/text/utf8.h"

namespace longshore {
namespace {

bool waits(State state) { return !is_terminal(state) && status_of(state) == Status::pending; }

bool takes(const WorkerView& worker, const Job& job) {
  const auto& queues = worker.info.queues;
  const auto& types = worker.info.types;
  return std::ranges::find(queues, job.queue) != queues.end() &&
         (types.empty() || std::ranges::find(types, job.type) != types.end());
}

bool has_worker(const ExplainInput& known) {
  return std::ranges::any_of(known.workers, [&](const WorkerView& worker) {
    const bool alive = !worker.jobs.empty() || worker.seen_at + worker_remembered >= known.now;
    return alive && takes(worker, known.job);
  });
}

bool is_paused(const ExplainInput& known) { return known.queue && known.queue->paused; }

bool is_full(const ExplainInput& known) {
  if (!known.queue || !known.queue->max_running) return false;
  const auto running = known.queue->depth.find(State::running);
  return running != known.queue->depth.end() && running->second >= *known.queue->max_running;
}

std::string first_line(std::string_view message) {
  return std::string(first_characters(message.substr(0, message.find_first_of("\r\n")), 200));
}

std::string behind_text(std::int64_t behind) {
  return behind > places_counted ? std::to_string(places_counted) + "+" : std::to_string(behind);
}

Reason backing_off(const ExplainInput& known) {
  Reason reason{.code = "backingOff",
                .detail = "waits until " + to_text(known.job.run_at),
                .until = known.job.run_at,
                .error = known.error};
  if (known.error) {
    reason.detail += " after " + known.error->code;
    const std::string message = first_line(known.error->message);
    if (!message.empty()) reason.detail += ": " + message;
  }
  return reason;
}

// The reason given by the job's own state.
Reason own_reason(const ExplainInput& known) {
  const Job& job = known.job;
  switch (job.state) {
    case State::created:
      return {.code = "notAccepted", .detail = "was recorded and will be accepted shortly"};
    case State::scheduled:
      return {.code = "scheduled",
              .detail = "is scheduled until " + to_text(job.run_at),
              .until = job.run_at};
    case State::retry:
      return backing_off(known);
    case State::running:
      return {.code = "running",
              .detail = "is running on " + job.worker +
                        (job.cancel_requested ? "; cancellation was requested" : ""),
              .until = job.lease_expires_at};
    case State::waiting:
      return {.code = "waitingForReply",
              .detail = "waits for an external reply",
              .until = job.deadline_at};
    case State::queued:
      return {.code = "next", .detail = "is next in queue " + job.queue};
    default:
      return {.code = "ended", .detail = "ended as " + std::string(to_text(job.state))};
  }
}

Reason behind_reason(const ExplainInput& known) {
  return {.code = "behind",
          .detail = "is behind " + behind_text(*known.ahead) +
                    (*known.ahead == 1 ? " job" : " jobs") + " in queue " + known.job.queue};
}

// Queued for so long that a sweep has checked its entry in the queue's index.
std::optional<Reason> stuck_reason(const ExplainInput& known) {
  const Duration waited = known.now - known.job.updated_at;
  if (known.job.state != State::queued || waited <= known.rules.stuck_after) return std::nullopt;
  return Reason{.code = "stuck",
                .detail = "has been queued for " + std::to_string(waited.count() / 1000) +
                          " s; it was re-indexed and its queue woken"};
}

void add_obstacles(const ExplainInput& known, std::vector<Reason>& reasons) {
  const std::string& queue = known.job.queue;
  if (is_paused(known)) {
    reasons.push_back({.code = "queuePaused", .detail = "queue " + queue + " is paused"});
  }
  if (!has_worker(known)) {
    reasons.push_back({.code = "noWorker",
                       .detail = "no worker for type " + known.job.type + " was seen in queue " +
                                 queue + " recently"});
  }
  if (is_full(known)) {
    reasons.push_back({.code = "limitReached",
                       .detail = "queue " + queue + " is at its limit of running jobs: " +
                                 std::to_string(*known.queue->max_running)});
  }
}

std::optional<Instant> forecast(const ExplainInput& known) {
  const Job& job = known.job;
  if (!waits(job.state) || is_paused(known) || !has_worker(known)) return std::nullopt;
  if (job.state != State::queued) return std::max(job.run_at, known.now);
  std::int64_t ahead = known.ahead.value_or(0);
  if (ahead == 0 && !is_full(known)) return known.now;
  if (known.rates.started <= 0) return std::nullopt;
  // Beyond the counted positions, assume the whole queue is before it.
  if (ahead > places_counted && known.queue && known.queue->depth.contains(State::queued)) {
    ahead = std::max(ahead, known.queue->depth.at(State::queued) - 1);
  }
  const double seconds = static_cast<double>(ahead + 1) / known.rates.started;
  return known.now + Duration::millis(static_cast<std::int64_t>(std::min(seconds, 1e9) * 1000));
}

void write_reason(JsonOut& out, const Reason& reason) {
  out.open('{');
  out.member("code", reason.code);
  out.member("detail", reason.detail);
  out.member_if("until", reason.until);
  if (reason.error) {
    out.key("error");
    out.open('{');
    out.member("code", reason.error->code);
    out.member("message", reason.error->message);
    out.close('}');
  }
  out.close('}');
}

std::string summary(const std::vector<Reason>& reasons) {
  std::string text = "The job";
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    text += i == 0 ? " " : "; ";
    text += reasons[i].detail;
  }
  return text + ".";
}

}  // namespace

Explanation explain(const ExplainInput& known) {
  Explanation explanation;
  const bool is_behind = known.job.state == State::queued && known.ahead.value_or(0) > 0;
  explanation.reasons.push_back(is_behind ? behind_reason(known) : own_reason(known));
  if (known.job.state == State::queued) explanation.behind = known.ahead;
  if (waits(known.job.state)) add_obstacles(known, explanation.reasons);
  if (auto stuck = stuck_reason(known)) explanation.reasons.push_back(std::move(*stuck));
  explanation.forecast = forecast(known);
  return explanation;
}

std::string explanation_json(const ExplainInput& known, const Explanation& explanation) {
  JsonOut out;
  out.open('{');
  out.member("jobId", known.job.id);
  out.member("state", to_text(known.job.state));
  out.member("status", to_text(status_of(known.job)));
  out.member("summary", summary(explanation.reasons));
  out.key("reasons");
  out.open('[');
  for (const Reason& reason : explanation.reasons) write_reason(out, reason);
  out.close(']');
  if (explanation.behind) {
    out.key("behind");
    if (*explanation.behind > places_counted) {
      out.value(behind_text(*explanation.behind));
    } else {
      out.value(*explanation.behind);
    }
  }
  out.member("forecastStartAt", explanation.forecast);
  out.member("drainRatePerSecond", known.rates.started);
  out.close('}');
  return out.take();
}

}  // namespace longshore
