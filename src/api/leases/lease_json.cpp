#include "api/leases/lease_json.h"

#include "api/jobs/job_answers.h"
#include "core/ids/lease_token.h"

namespace longshore {
namespace {

void write_json_or(JsonOut& out, std::string_view name, std::string_view json,
                   std::string_view otherwise) {
  out.key(name);
  out.value(Verbatim{json.empty() ? otherwise : json});
}

}  // namespace

void write_lease(JsonOut& out, const Lease& lease) {
  out.open('{');
  out.member("jobId", lease.job);
  out.member("jobType", lease.type);
  out.text_or_null("jobKey", lease.job_key);
  out.member("queue", lease.queue);
  write_json_or(out, "payload", lease.body.payload, "null");
  out.member("attempt", lease.attempt);
  out.member("failures", lease.failures);
  out.member("maxRetries", lease.max_retries);
  out.member("fence", lease.token.epoch);
  out.member("leaseToken", to_text(lease.token));
  out.member("leaseExpiresAt", lease.lease_expires_at);
  out.member("deadlineAt", lease.deadline_at);
  write_json_or(out, "checkpoint", lease.checkpoint.value_or(""), "null");
  out.key("lastError");
  if (lease.last_error) {
    write_error(out, *lease.last_error);
  } else {
    out.value(nullptr);
  }
  write_json_or(out, "metadata", lease.body.metadata, "{}");
  write_json_or(out, "request", lease.body.request, "null");
  out.text_or_null("traceparent", lease.body.traceparent);
  out.member("createdAt", lease.created_at);
  out.close('}');
}

LeaseToken read_lease_token(Fields& fields) {
  if (!fields.require("leaseToken")) return {};
  const std::optional<std::string> text = fields.text("leaseToken");
  return text ? parse_lease_token(*text).value_or(LeaseToken()) : LeaseToken();
}

}  // namespace longshore
