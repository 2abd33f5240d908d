#include "core/rules/callback.h"

#include "core/ids/uuid.h"
#include "core/json/json_value.h"
#include "core/text/time_text.h"

namespace longshore {
namespace {

constexpr int retries = 12;  // about 3.5 hours, for a receiver that is down

}  // namespace

NewJob callback_job(const Job& job) {
  const std::string once = "callback/" + to_text(job.id) + "/" + std::to_string(job.version);
  NewJob spawned;
  spawned.id = derive_job_id(job.id, once, job.updated_at);
  spawned.type = callback_type;
  spawned.queue = callback_queue;
  spawned.idempotency_key = once;
  spawned.policy = {.max_retries = retries,
                    .timeout = Duration::minutes(5),
                    .backoff = {.base = Duration::seconds(5)}};
  std::string& out = spawned.body.payload;
  out = R"({"jobId":")" + to_text(job.id) + R"(","jobType":)";
  append_json_string(out, job.type);
  out += R"(,"status":")" + std::string(to_text(status_of(job))) + R"(","completedAt":")" +
         to_text(job.updated_at) + R"(","url":)";
  append_json_string(out, job.callback->url);
  out += R"(,"secretName":)";
  append_json_string(out, job.callback->secret_name);
  out += "}";
  return spawned;
}

}  // namespace longshore
