#include "store/redis/codec.h"

#include "core/policy/rules_text.h"
#include "store/redis/fields.h"

namespace longshore::redis {
namespace {

constexpr std::int64_t cancel_requested_flag = 1;
constexpr std::int64_t withdrawn_flag = 2;
// Written along with the named fields, and lost when a Longshore that knows none writes the job.
constexpr std::int64_t named_flag = 4;
// Likewise: such a Longshore writes a history, from its own first move on.
constexpr std::int64_t usual_flag = 8;
constexpr int fields_before_flags = 10;
constexpr std::int64_t callback_flag = 1;
constexpr std::int64_t only_payload_flag = 2;

void write_settled(FieldWriter& fields, const std::optional<Settlement>& settled) {
  fields.number(settled ? std::optional(std::int64_t{static_cast<int>(settled->kind)})
                        : std::nullopt);
  if (!settled) return;
  fields.number(settled->by.epoch).id(settled->by.claim);
  fields.number(static_cast<std::int64_t>(settled->outcome));
  fields.number(static_cast<int>(settled->status));
}

std::optional<Settlement> read_settled(FieldReader& fields) {
  const auto kind = fields.optional_number();
  if (!kind) return std::nullopt;
  Settlement settled{.kind = static_cast<Settlement::Kind>(*kind)};
  settled.by.epoch = fields.number();
  settled.by.claim = fields.id<RequestId>();
  settled.outcome = static_cast<std::uint64_t>(fields.number());
  settled.status = static_cast<Status>(fields.small());
  return settled;
}

void write_error(FieldWriter& fields, const std::optional<JobError>& error) {
  fields.number(error ? 1 : 0);
  if (error) fields.text(error->code).text(error->message).text(error->details);
}

std::optional<JobError> read_error(FieldReader& fields) {
  if (fields.number() == 0) return std::nullopt;
  JobError error;
  error.code = fields.text();
  error.message = fields.text();
  error.details = fields.text();
  return error;
}

void read_given(FieldReader& fields, Head& head, const Policy& usual) {
  Job& job = head.job;
  job.type = fields.text();
  job.queue = fields.text();
  job.priority = fields.small();
  job.job_key = fields.text();
  job.idempotency_key = fields.text();
  const std::string policy = fields.text();
  job.policy = policy.empty() ? usual : parse_policy(policy).value_or(usual);
  job.expires_at = fields.optional_instant();
  job.redrive_of = fields.optional_id<JobId>();
  job.content = fields.optional_id<JobId>().value_or(job.id);
  job.created_at = fields.instant();
  head.body_bytes = fields.number();
  const std::int64_t flags = fields.number();
  head.only_payload = (flags & only_payload_flag) != 0;
  if ((flags & callback_flag) == 0) return;
  Callback callback;
  callback.url = fields.text();
  callback.secret_name = fields.text();
  job.callback = std::move(callback);
}

void read_life(FieldReader& fields, Head& head) {
  Job& job = head.job;
  job.state = static_cast<State>(fields.number());
  job.version = fields.number();
  job.history_count = fields.number();
  job.run_at = fields.instant();
  job.updated_at = fields.instant();
  job.first_started_at = fields.optional_instant();
  job.started_at = fields.optional_instant();
  job.completed_at = fields.optional_instant();
  job.prune_after = fields.optional_instant();
  job.execution = fields.duration();
  const std::int64_t flags = fields.number();
  job.cancel_requested = (flags & cancel_requested_flag) != 0;
  job.withdrawn = (flags & withdrawn_flag) != 0;
  head.named = (flags & named_flag) != 0;
  head.usual = (flags & usual_flag) != 0;
  job.progress = fields.optional_real();
  job.successor_id = fields.optional_id<JobId>();
  job.attempt = fields.small();
  job.failures = fields.small();
  job.crashes = fields.small();
  job.retry_count = fields.small();
  job.epoch = fields.number();
  job.claim = fields.id<RequestId>();
  job.worker = fields.text();
  job.node = fields.optional_id<NodeId>();
  job.lease = fields.duration();
  job.lease_expires_at = fields.optional_instant();
  job.deadline_at = fields.optional_instant();
  job.settled = read_settled(fields);
  head.error = read_error(fields);
  head.checkpoint_bytes = fields.optional_number();
  if (!fields.at_end()) job.heartbeat_due_at = fields.optional_instant();
  if (!fields.at_end()) head.completed_by = fields.text();
}

}  // namespace

std::string given_text(const Head& head, const Policy& usual) {
  const Job& job = head.job;
  FieldWriter fields;
  fields.text(job.type).text(job.queue).number(job.priority);
  fields.text(job.job_key).text(job.idempotency_key);
  fields.text(job.policy == usual ? "" : policy_text(job.policy));
  fields.instant(job.expires_at).id(job.redrive_of);
  fields.id(job.content == job.id ? std::nullopt : std::optional(job.content));
  fields.instant(job.created_at).number(head.body_bytes);
  fields.number((job.callback ? callback_flag : 0) | (head.only_payload ? only_payload_flag : 0));
  if (job.callback) fields.text(job.callback->url).text(job.callback->secret_name);
  return std::move(fields).take();
}

std::string life_text(const Head& head) {
  const Job& job = head.job;
  FieldWriter fields;
  fields.number(static_cast<int>(job.state)).number(job.version).number(job.history_count);
  fields.instant(job.run_at).instant(job.updated_at).instant(job.first_started_at);
  fields.instant(job.started_at).instant(job.completed_at).instant(job.prune_after);
  fields.duration(job.execution);
  fields.number((job.cancel_requested ? cancel_requested_flag : 0) |
                (job.withdrawn ? withdrawn_flag : 0) | (head.named ? named_flag : 0) |
                (head.usual ? usual_flag : 0));
  fields.real(job.progress).id(job.successor_id);
  fields.number(job.attempt).number(job.failures).number(job.crashes).number(job.retry_count);
  fields.number(job.epoch).id(job.claim).text(job.worker).id(job.node).duration(job.lease);
  fields.instant(job.lease_expires_at).instant(job.deadline_at);
  write_settled(fields, job.settled);
  write_error(fields, head.error);
  fields.number(head.checkpoint_bytes);
  // Optional at the end: jobs written before these fields existed stay readable.
  const bool has_worker = !head.completed_by.empty();
  if (job.heartbeat_due_at || has_worker) fields.instant(job.heartbeat_due_at);
  if (has_worker) fields.text(head.completed_by);
  return std::move(fields).take();
}

bool is_named(std::string_view life) {
  FieldReader fields(life);
  for (int i = 0; i < fields_before_flags; ++i) fields.optional_number();
  return (fields.number() & named_flag) != 0;
}

std::optional<Head> parse_head(const JobId& id, const std::string& ns, const HeadTexts& texts,
                               const Policy& usual) {
  Head head;
  head.job.id = id;
  head.job.ns = ns;
  FieldReader given(texts.given), life(texts.life), place(texts.place);
  read_given(given, head, usual);
  read_life(life, head);
  head.job.number = place.number();
  head.job.order = place.number();
  if (!given.good() || !life.good() || !place.good()) return std::nullopt;
  return head;
}

std::int64_t bytes_of(const JobBody& body) {
  return std::ssize(body.payload) + std::ssize(body.metadata) + std::ssize(body.request);
}

bool is_only_payload(const JobBody& body) {
  return body.tags.empty() && body.metadata.empty() && body.request.empty() &&
         body.traceparent.empty();
}

std::string failure_line(const Failure& failure) {
  FieldWriter fields;
  fields.number(failure.attempt).instant(failure.at);
  fields.text(failure.error.code).text(failure.error.message).text(failure.error.details);
  return std::move(fields).take() + "\n";
}

std::vector<Failure> parse_failures(std::string_view lines) {
  std::vector<Failure> failures;
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    FieldReader fields(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
    Failure failure{.attempt = fields.small(), .at = fields.instant(), .error = {}};
    failure.error.code = fields.text();
    failure.error.message = fields.text();
    failure.error.details = fields.text();
    failures.push_back(std::move(failure));
  }
  return failures;
}

}  // namespace longshore::redis
