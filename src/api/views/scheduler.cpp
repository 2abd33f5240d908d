// The fields of the design's job hash.
#include "api/views/writers.h"

namespace longshore {

void write_scheduler(JsonOut& out, const ShownJob& shown) {
  const Job& job = shown.job;
  out.member("job_id", job.id);
  out.member("job_type", job.type);
  out.member("state", state_word("scheduler", job));
  out.member("attempt_count", job.attempt);
  out.member("run_at", job.run_at);
  out.member("lease_expires_at", job.lease_expires_at);
  out.key("error");
  if (shown.error) {
    out.value(error_text(shown));
  } else {
    out.value(nullptr);
  }
  out.member("created_at", job.created_at);
  out.member("updated_at", job.updated_at);
  if (shown.record == nullptr) return;
  write_json(out, "payload", shown.record->body.payload);
  write_json(out, "result", shown.record->result.value_or(""));
}

}  // namespace longshore
