#include "api/jobs/job_json.h"

#include "api/views/writers.h"
#include "core/record/list_page.h"

namespace longshore {
namespace {

std::string_view word_of(Backoff::Kind kind) {
  switch (kind) {
    case Backoff::Kind::exponential:
      return "exponential";
    case Backoff::Kind::fixed:
      return "fixed";
    case Backoff::Kind::none:
      break;
  }
  return "none";
}

void write_backoff(JsonOut& out, const Backoff& backoff) {
  out.key("backoff");
  out.open('{');
  out.member("kind", word_of(backoff.kind));
  out.member("baseSeconds", backoff.base);
  out.member("maxSeconds", backoff.max);
  out.member("jitter", backoff.jitter);
  out.close('}');
}

void write_lease(JsonOut& out, const Job& job) {
  out.key("lease");
  if (!job.lease_expires_at) return out.value(nullptr);
  out.open('{');
  out.member("workerId", job.worker);
  out.member("expiresAt", *job.lease_expires_at);
  out.close('}');
}

void write_tags(JsonOut& out, const std::vector<std::string>& tags) {
  out.key("tags");
  out.open('[');
  for (const std::string& tag : tags) out.value(tag);
  out.close(']');
}

void write_error_members(JsonOut& out, const JobError& error) {
  out.member("code", error.code);
  out.member("message", error.message);
  out.key("details");
  if (error.details.empty()) return out.value(nullptr);
  out.value(Verbatim{error.details});
}

void write_errors(JsonOut& out, const std::vector<Failure>& errors) {
  out.key("errors");
  out.open('[');
  for (const Failure& failure : errors) {
    out.open('{');
    out.member("attempt", failure.attempt);
    out.member("at", failure.at);
    write_error_members(out, failure.error);
    out.close('}');
  }
  out.close(']');
}

// The members of a list entry besides the public ones and the state.
void write_common(JsonOut& out, const Job& job, const std::vector<std::string>& tags) {
  out.member("id", job.number);
  out.member("queue", job.queue);
  out.member("priority", job.priority);
  out.text_or_null("jobKey", job.job_key);
  out.text_or_null("idempotencyKey", job.idempotency_key);
  write_tags(out, tags);
  out.member("attempt", job.attempt);
  out.member("failures", job.failures);
  out.member("crashes", job.crashes);
  out.member("retryCount", job.retry_count);
  out.member("epoch", job.epoch);
  out.member("version", job.version);
  out.member("maxRetries", job.policy.max_retries);
  out.member("timeoutSeconds", job.policy.timeout);
  write_backoff(out, job.policy.backoff);
  out.member("expiresAt", job.expires_at);
  out.member("firstStartedAt", job.first_started_at);
  out.member("executionMillis", job.execution.count());
  out.member_if("deadlineAt", job.deadline_at);
  write_lease(out, job);
  out.member("redriveOf", job.redrive_of);
  out.member("successorId", job.successor_id);
}

void write_json_or(JsonOut& out, std::string_view name, std::string_view json,
                   std::string_view otherwise) {
  out.member(name, Verbatim{json.empty() ? otherwise : json});
}

void write_body(JsonOut& out, const JobRecord& record) {
  write_json_or(out, "metadata", record.body.metadata, "{}");
  write_json_or(out, "request", record.body.request, "null");
  write_json_or(out, "payload", record.body.payload, "null");
  write_json_or(out, "result", record.result.value_or(""), "null");
  write_json_or(out, "checkpoint", record.checkpoint.value_or(""), "null");
  if (!record.body.traceparent.empty()) out.member("traceparent", record.body.traceparent);
  if (!record.job.callback) return;
  out.key("callback");
  out.open('{');
  out.member("url", record.job.callback->url);
  out.text_or_null("secretName", record.job.callback->secret_name);
  out.close('}');
}

void write_transition(JsonOut& out, const Transition& move, const ShownMove& shown) {
  out.open('{');
  out.member("seq", move.seq);
  out.member("from", shown.from);
  out.member("to", shown.to);
  out.member("cause", to_text(move.cause));
  out.member("at", move.at);
  out.member("epoch", move.epoch);
  out.text_or_null("workerId", move.worker);
  out.text_or_null("detail", move.detail);
  out.close('}');
}

void write_public_members(JsonOut& out, const Job& job) {
  out.member("jobId", job.id);
  out.member("jobType", job.type);
  out.member("status", to_text(status_of(job)));
  out.member("createdAt", job.created_at);
  out.member("updatedAt", job.updated_at);
  out.member("runAt", job.run_at);
  out.member_if("startedAt", job.started_at);
  out.member_if("completedAt", job.completed_at);
  out.member_if("progress", job.progress);
  if (job.cancel_requested) out.member("cancelRequested", true);
}

void write_latest_error(JsonOut& out, const ShownJob& shown) {
  if (!shown.error) return;
  const std::string error = error_text(shown);
  out.member("error", Verbatim{error});
}

}  // namespace

void write_native(JsonOut& out, const ShownJob& shown) {
  write_public_members(out, shown.job);
  out.member("state", to_text(shown.job.state));
  write_common(out, shown.job, shown.tags);
  if (shown.record != nullptr) write_body(out, *shown.record);
  write_latest_error(out, shown);
  if (shown.record != nullptr) write_errors(out, shown.record->errors);
}

std::string details_json(const JobRecord& record, const JobView& view) {
  JsonOut out;
  write_job(out, view, record);
  return out.take();
}

std::string list_json(const ListPage& page, const JobView& view) {
  JsonOut out;
  out.open('{');
  out.key("jobs");
  out.open('[');
  for (const JobSummary& summary : page.jobs) write_job(out, view, summary);
  out.close(']');
  out.key("nextCursor");
  if (page.next) {
    out.value(cursor_text(*page.next));
  } else {
    out.value(nullptr);
  }
  out.close('}');
  return out.take();
}

std::string history_json(const JobRecord& record, const JobView& view) {
  JsonOut out;
  out.open('{');
  out.key("history");
  out.open('[');
  for (const Transition& move : record.history) {
    const Transition* const next = &move == &record.history.back() ? nullptr : &move + 1;
    if (const auto shown = shown_move(view, move, next)) write_transition(out, move, *shown);
  }
  out.close(']');
  out.member("dropped", record.history_dropped);
  out.close('}');
  return out.take();
}

std::string logs_json(const std::vector<AttemptLog>& logs) {
  JsonOut out;
  out.open('{');
  out.key("logs");
  out.open('[');
  for (const AttemptLog& log : logs) {
    out.open('{');
    out.member("attempt", log.attempt);
    out.member("text", log.text);
    out.close('}');
  }
  out.close(']');
  out.close('}');
  return out.take();
}

}  // namespace longshore
