#include "api/jobs/new_job_body.h"

#include <utility>

#include "core/ids/uuid.h"
#include "core/json/json_value.h"
#include "core/record/stored_json.h"
#include "core/rules/limits.h"
#include "core/text/names.h"
#include "runtime/new_job.h"

namespace longshore {
namespace {

std::optional<OnConflict> read_on_conflict(Fields& fields) {
  const std::optional<std::string> word = fields.text("onConflict");
  if (!word) return std::nullopt;
  if (*word == "existing") return OnConflict::existing;
  if (*word == "reject") return OnConflict::reject;
  if (*word == "replace") return OnConflict::replace;
  fields.invalid("onConflict", "must be existing, reject or replace");
  return std::nullopt;
}

std::optional<Backoff::Kind> read_backoff_kind(Fields& fields) {
  const std::optional<std::string> word = fields.text("kind");
  if (!word) return std::nullopt;
  if (*word == "exponential") return Backoff::Kind::exponential;
  if (*word == "fixed") return Backoff::Kind::fixed;
  if (*word == "none") return Backoff::Kind::none;
  fields.invalid("kind", "must be exponential, fixed or none");
  return std::nullopt;
}

BackoffLayer read_backoff(Fields& job) {
  std::optional<Fields> fields = job.object("backoff");
  if (!fields) return {};
  BackoffLayer backoff{.kind = read_backoff_kind(*fields),
                       .base = fields->seconds("baseSeconds", delay_range),
                       .max = fields->seconds("maxSeconds", delay_range),
                       .jitter = fields->number("jitter", 0, 1)};
  fields->finish();
  return backoff;
}

PolicyLayer read_policy(Fields& fields) {
  PolicyLayer policy;
  if (const auto count = fields.integer("maxRetries", 0, retries_max)) {
    policy.max_retries = static_cast<int>(*count);
  }
  policy.timeout = fields.seconds("timeoutSeconds", timeout_range);
  policy.backoff = read_backoff(fields);
  return policy;
}

std::optional<Callback> read_callback(Fields& job) {
  std::optional<Fields> fields = job.object("callback");
  if (!fields) return std::nullopt;
  Callback callback;
  if (fields->require("url")) callback.url = fields->text("url", callback_url_fault).value_or("");
  callback.secret_name = fields->text("secretName", secret_name_fault).value_or("");
  fields->finish();
  return callback;
}

// Validated and kept byte for byte.
std::string read_metadata(Fields& job) {
  std::optional<Fields> fields = job.object("metadata");
  if (!fields || fields->members().empty()) return {};
  const std::string_view text = job.slice("metadata")->text;
  if (fields->members().size() > metadata_pairs_max) {
    job.invalid("metadata", "must have at most 64 pairs");
  }
  if (text.size() > metadata_bytes_max) job.invalid("metadata", "must be at most 16 KiB of JSON");
  for (const JsonMember& member : fields->members()) {
    if (member.value.kind == JsonKind::string) continue;
    fields->invalid(json_name(member), "must be a string");
  }
  return std::string(text);
}

std::string read_idempotency_key(Fields& fields, std::string_view header) {
  std::optional<std::string> key = fields.text("idempotencyKey", key_fault);
  if (header.data() == nullptr) return std::move(key).value_or("");
  if (auto fault = key_fault(header)) fields.faults().invalid("Idempotency-Key", std::move(*fault));
  if (key && *key != header) {
    fields.invalid("idempotencyKey",
                   "was sent in the body and in the header Idempotency-Key, with different values");
  }
  return std::string(header);
}

// Chosen by the client, so that a repeat creates no second job; else generated here.
JobId read_job_id(Fields& fields, Node& node) {
  const Instant now = node.time().wall().now();
  const std::optional<std::string> text = fields.text("jobId");
  if (!text) return node.ids().job(now);
  const std::optional<JobId> id = parse_job_id(*text);
  if (!id) fields.invalid("jobId", "must be a UUID of version 7");
  if (!id) return {};
  if (auto fault = chosen_id_fault(*id, now)) fields.invalid("jobId", std::move(*fault));
  return *id;
}

void read_times(Fields& fields, NewJob& job) {
  const StartTime start = read_start_time(fields);
  job.run_at = start.run_at;
  job.delay = start.delay;
  job.expires_at = fields.time("expiresAt");
  if (job.run_at && job.expires_at && *job.expires_at < *job.run_at) {
    fields.invalid("expiresAt", "must not be before runAt");
  }
}

void read_content(Fields& fields, JobBody& body) {
  body.payload = fields.json("payload", payload_bytes_max).value_or("null");
  body.tags = fields.texts("tags", 0, tags_max, tag_fault).value_or(std::vector<std::string>());
  body.metadata = read_metadata(fields);
  body.request = read_origin_request(fields, "request");
}

}  // namespace

StartTime read_start_time(Fields& fields) {
  if (fields.has("runAt") && fields.has("delaySeconds")) {
    fields.invalid("delaySeconds", "must not be sent together with runAt");
  }
  return {.run_at = fields.time("runAt"),
          .delay = fields.seconds("delaySeconds", delay_range).value_or(Duration())};
}

NewJob read_new_job(Fields& fields, Node& node, const RequestHeaders& headers) {
  NewJob job;
  if (fields.require("jobType")) job.type = fields.text("jobType", job_type_fault).value_or("");
  if (auto queue = fields.text("queue", queue_fault)) job.queue = std::move(*queue);
  job.priority =
      static_cast<int>(fields.integer("priority", 0, priority_max).value_or(priority_default));
  job.id_is_made = !fields.has("jobId");
  job.id = read_job_id(fields, node);
  job.idempotency_key = read_idempotency_key(fields, headers.idempotency_key);
  job.job_key = fields.text("jobKey", key_fault).value_or("");
  job.on_conflict = read_on_conflict(fields).value_or(OnConflict::existing);
  read_times(fields, job);
  const PolicyLayer own = read_policy(fields);
  read_content(fields, job.body);
  job.callback = read_callback(fields);
  fields.finish();
  job.policy = policy_for(job.type, job.queue, own, node.options(), *node.rules());
  job.body.traceparent = headers.traceparent;
  if (!job.idempotency_key.empty()) job.body_hash = request_hash(job, own);
  return job;
}

}  // namespace longshore
