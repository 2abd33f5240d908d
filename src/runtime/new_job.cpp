#include "runtime/new_job.h"

#include <array>
#include <string>
#include <utility>

#include "core/ids/uuid.h"
#include "core/policy/policy.h"
#include "core/rules/job_request.h"
#include "core/text/hash.h"

namespace longshore {
namespace {

PolicyLayer layer_of(const std::map<std::string, PolicyLayer>& layers, const std::string& name) {
  const auto found = layers.find(name);
  return found == layers.end() ? PolicyLayer() : found->second;
}

// Each part ends with a zero byte, which no text here contains, so that different lists differ.
void append_part(std::string& parts, std::string_view part) {
  parts += part;
  parts += '\0';
}
void append_part(std::string& parts, std::int64_t number) {
  append_part(parts, std::to_string(number));
}
void append_part(std::string& parts, const std::optional<Instant>& at) {
  append_part(parts, at ? std::to_string(at->count()) : "");
}
void append_part(std::string& parts, const std::optional<Duration>& length) {
  append_part(parts, length ? std::to_string(length->count()) : "");
}

void append_policy(std::string& parts, const PolicyLayer& own) {
  append_part(parts, own.max_retries ? std::to_string(*own.max_retries) : "");
  append_part(parts, own.timeout);
  const BackoffLayer& backoff = own.backoff;
  append_part(parts, backoff.kind ? std::to_string(static_cast<int>(*backoff.kind)) : "");
  append_part(parts, backoff.base);
  append_part(parts, backoff.max);
  append_part(parts, backoff.jitter ? std::to_string(*backoff.jitter) : "");
}

}  // namespace

Policy policy_for(const std::string& type, const std::string& queue, const PolicyLayer& own,
                  const OpenOptions& options, const Rules& rules) {
  const std::array layers = {own, layer_of(options.type_policies, type),
                             layer_of(options.queue_policies, queue)};
  return resolve_policy(layers, rules.policy);
}

std::uint64_t request_hash(const NewJob& job, const PolicyLayer& own) {
  std::string parts;
  append_part(parts, job.type);
  append_part(parts, job.queue);
  append_part(parts, job.priority);
  append_part(parts, job.job_key);
  append_part(parts, static_cast<std::int64_t>(job.on_conflict));
  append_part(parts, job.run_at);
  append_part(parts, job.delay.count());
  append_part(parts, job.expires_at);
  append_policy(parts, own);
  append_part(parts, job.callback ? job.callback->url : "");
  append_part(parts, job.callback ? job.callback->secret_name : "");
  append_part(parts, std::ssize(job.body.tags));
  for (const std::string& tag : job.body.tags) append_part(parts, tag);
  append_part(parts, job.body.metadata);
  append_part(parts, job.body.request);
  append_part(parts, static_cast<std::int64_t>(hash64(job.body.payload)));
  return hash64(parts);
}

Result<NewJob> new_job(JobRequest request, const JobId& id, const OpenOptions& options,
                       const Rules& rules) {
  if (auto fault = job_request_fault(request)) return *fault;
  if (request.options.id) {
    // `id` was generated just now, so its time is the current one.
    if (auto fault = chosen_id_fault(*request.options.id, time_of(id))) {
      return Error{Errc::invalid, "id " + *fault, Code::invalid_field};
    }
  }
  Result<std::string> metadata = metadata_json(request.options.metadata);
  if (!metadata) return metadata.error();
  EnqueueOptions& asked = request.options;
  NewJob job{.id = asked.id.value_or(id),
             .id_is_made = !asked.id,
             .type = request.type,
             .queue = asked.queue,
             .priority = asked.priority,
             .policy = policy_for(request.type, asked.queue, asked.policy, options, rules),
             .job_key = std::move(asked.job_key),
             .idempotency_key = std::move(asked.idempotency_key),
             .on_conflict = asked.on_conflict,
             .run_at = asked.run_at,
             .delay = asked.delay,
             .expires_at = asked.expires_at,
             .callback = std::move(asked.callback)};
  job.body = {.payload = std::move(request.payload),
              .tags = std::move(asked.tags),
              .metadata = std::move(*metadata),
              .traceparent = std::move(asked.traceparent)};
  if (!job.idempotency_key.empty()) job.body_hash = request_hash(job, asked.policy);
  return job;
}

}  // namespace longshore
