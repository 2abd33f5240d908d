// A row of the design's table of jobs: names of its API are camelCase, names of columns are not.
#include "api/views/writers.h"

namespace longshore {

void write_orchestrator(JsonOut& out, const ShownJob& shown) {
  const Job& job = shown.job;
  const bool leased = job.lease_expires_at.has_value();
  out.member("jobId", job.id);
  out.member("jobType", job.type);
  out.member("state", state_word("orchestrator", job));
  out.member("retry_count", job.failures);  // the final failure included
  out.text_or_null("lease_owner", leased ? job.worker : "");
  out.member("lease_expiry", job.lease_expires_at);
  out.text_or_null("idempotencyKey", job.idempotency_key);
  out.member("created_at", job.created_at);
  out.member("updated_at", job.updated_at);
  if (shown.record != nullptr) write_json(out, "payload", shown.record->body.payload);
}

}  // namespace longshore
