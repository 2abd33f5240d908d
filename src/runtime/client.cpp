#include "longshore/client.h"

#include <utility>

#include "client/job_service.h"
#include "core/record/stored_json.h"
#include "core/rules/limits.h"
#include "core/text/names.h"

namespace longshore {
namespace {

// An error if no job can have this type and key.
std::optional<Error> key_fault_of(std::string_view type, std::string_view key) {
  if (const auto fault = any_job_type_fault(type)) {
    return Error{Errc::invalid, "job type: " + *fault, Code::invalid_field};
  }
  const auto fault = key_fault(key);
  if (!fault) return std::nullopt;
  return Error{Errc::invalid, "job key: " + *fault, Code::invalid_field};
}

std::optional<Error> outcome_fault(const Outcome& outcome) {
  if (outcome.result) return stored_json_fault("result", *outcome.result, result_bytes_max);
  if (outcome.error.details.empty()) return std::nullopt;
  return stored_json_fault("details", outcome.error.details, error_details_bytes_max);
}

Result<Settled> finish(JobService& service, std::string_view type, std::string_view key,
                       Outcome outcome, const FinishOptions& options) {
  if (auto fault = key_fault_of(type, key)) return *fault;
  if (auto fault = outcome_fault(outcome)) return *fault;
  return service.act(FinishByKey{.id = options.id.value_or(RequestId()),
                                 .ns = {},
                                 .type = std::string(type),
                                 .key = std::string(key),
                                 .outcome = std::move(outcome),
                                 .fence = options.fence});
}

}  // namespace

Client::Client(std::shared_ptr<JobService> service) : service_(std::move(service)) {}

Result<EnqueuedJob> Client::enqueue(JobRequest request) const {
  std::vector<JobRequest> one;
  one.push_back(std::move(request));
  Result<std::vector<EnqueuedJob>> enqueued = enqueue_all(std::move(one));
  if (!enqueued) return enqueued.error();
  return enqueued->front();
}

Result<std::vector<EnqueuedJob>> Client::enqueue_all(std::vector<JobRequest> requests) const {
  return service_->enqueue(std::move(requests));
}

Result<JobRecord> Client::get(const JobId& id) const { return service_->get(id); }

Result<JobRecord> Client::wait(const JobId& id, Duration longest) const {
  return service_->wait(id, longest);
}

Result<std::string> Client::result(const JobId& id, Duration longest) const {
  return service_->result(id, longest);
}

Result<std::int64_t> Client::watch(const JobId& id, const Seen& seen, std::stop_token stop,
                                   std::int64_t after) const {
  return service_->watch(id, seen, stop, after);
}

Result<Job> Client::find_by_key(std::string_view type, std::string_view key) const {
  if (auto fault = key_fault_of(type, key)) return *fault;
  return service_->find_by_key(std::string(type), std::string(key));
}

Result<Settled> Client::complete_by_key(std::string_view type, std::string_view key,
                                        std::string result, FinishOptions options) const {
  return finish(*service_, type, key, {.result = std::move(result), .error = {}}, options);
}

Result<Settled> Client::fail_by_key(std::string_view type, std::string_view key, JobError error,
                                    FinishOptions options) const {
  Outcome outcome{.result = {}, .error = std::move(error), .retryable = options.retryable};
  return finish(*service_, type, key, std::move(outcome), options);
}

Result<Settled> Client::redrive(const JobId& id, RedriveOptions options) const {
  if (options.payload) {
    if (auto fault = stored_json_fault("payload", *options.payload, payload_bytes_max)) {
      return *fault;
    }
  }
  if (options.queue) {
    if (const auto fault = queue_fault(*options.queue)) {
      return Error{Errc::invalid, "queue: " + *fault, Code::invalid_field};
    }
  }
  return service_->act(Redrive{.ns = {},
                               .job = id,
                               .successor = {},
                               .payload = std::move(options.payload),
                               .queue = std::move(options.queue),
                               .priority = options.priority,
                               .max_retries = options.max_retries,
                               .timeout = options.timeout,
                               .delay = options.delay,
                               .run_at = options.run_at,
                               .actor = {}});
}

Result<Settled> Client::promote(const JobId& id) const {
  return service_->act(Promote{.ns = {}, .job = id, .actor = {}});
}

Result<Settled> Client::resolve(const JobId& id, Outcome outcome,
                                std::optional<RequestId> request) const {
  if (auto fault = outcome_fault(outcome)) return *fault;
  outcome.retryable = false;
  return service_->act(Resolve{.id = request.value_or(RequestId()),
                               .ns = {},
                               .job = id,
                               .outcome = std::move(outcome),
                               .actor = {}});
}

Result<Settled> Client::cancel(const JobId& id, bool force) const {
  return service_->act(Cancel{.ns = {}, .job = id, .force = force, .actor = {}});
}

Result<ListPage> Client::list(ListQuery query) const { return service_->list(std::move(query)); }

}  // namespace longshore
