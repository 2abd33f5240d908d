// The job metadata that the design lists.
#include "api/views/writers.h"
#include "core/rules/job_events.h"

namespace longshore {
namespace {

std::optional<Instant> when(bool so, const std::optional<Instant>& at) {
  return so ? at : std::nullopt;
}

// All stored errors, oldest first. A canceled job has an error that no attempt reported.
void write_error_messages(JsonOut& out, const JobRecord& record) {
  out.key("error_messages");
  out.open('[');
  for (const Failure& failure : record.errors) out.value(failure.error.message);
  const bool listed =
      !record.errors.empty() && record.error && record.errors.back().error == *record.error;
  if (record.error && !listed) out.value(record.error->message);
  out.close(']');
}

void write_latest_message(JsonOut& out, const std::optional<JobError>& error) {
  out.text_or_null("error_message", error ? short_message(error->message) : "");
}

}  // namespace

void write_basic(JsonOut& out, const ShownJob& shown) {
  const Job& job = shown.job;
  const bool completed = job.state == State::success;
  out.member("id", job.id);
  out.member("job_type", job.type);
  out.member("status", state_word("basic", job));
  out.member("execution_time", job.execution);
  out.member("retries_count", job.retry_count);
  out.member("creation_time", job.created_at);
  out.member("start_time", job.started_at);
  out.member("completion_time", when(completed, job.completed_at));
  out.member("dead_time", when(!completed, job.completed_at));
  if (shown.record == nullptr) return write_latest_message(out, shown.error);
  write_error_messages(out, *shown.record);
  write_json(out, "payload", shown.record->body.payload);
  write_json(out, "result", shown.record->result.value_or(""));
}

}  // namespace longshore
