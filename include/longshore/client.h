// A Client brings jobs in and asks what became of them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longshore/args.h"
#include "longshore/catalog.h"
#include "longshore/command.h"
#include "longshore/error.h"
#include "longshore/policy.h"
#include "longshore/time.h"

namespace longshore {

class Node;

struct EnqueueOptions {
  std::string queue = "default";
  int priority = 5;                    // 0 first, 9 last
  std::optional<Instant> run_at = {};  // at most one of these two
  Duration delay = {};
  std::optional<Instant> expires_at = {};         // latest start of any attempt
  std::string job_key = {};                       // one live job of each type and key
  OnConflict on_conflict = OnConflict::existing;  // when the job key is taken
  std::string idempotency_key = {};               // one job ever; a repeat answers the first
  PolicyLayer policy = {};                        // what differs from the type's and the queue's
  std::vector<std::string> tags = {};
  std::map<std::string, std::string> metadata = {};
  std::string traceparent = {};           // W3C trace context
  std::optional<Callback> callback = {};  // where the outcome is delivered
  std::optional<JobId> id = {};           // chosen by you, so that a repeated call makes one job
};

// A job to be, as JSON. See request_for() for typed arguments.
struct JobRequest {
  std::string type = {};
  std::string payload = "null";
  EnqueueOptions options = {};
};

template <JobArgs Args>
Result<JobRequest> request_for(const Args& args, EnqueueOptions options = {}) {
  Result<std::string> payload = to_json(args);
  if (!payload) return payload.error();
  return JobRequest{std::string(Args::job_type), std::move(*payload), std::move(options)};
}

// Safe to share between threads; cheap to copy, such as into a handler that brings more jobs in.
// Every call blocks until the store has answered.
// What is wrong with an argument is found before anything is sent: Errc::invalid, and the message
// names it. After Longshore::stop everything is Errc::refused. A command that the store refused
// says why in Error::refusal.
class Client {
 public:
  explicit Client(std::shared_ptr<Node> node);

  // The job is durable when the call returns. After Errc::unavailable it may or may not exist:
  // repeat the call with the same `id` or idempotency key.
  template <JobArgs Args>
  Result<EnqueuedJob> enqueue(const Args& args, EnqueueOptions options = {}) const {
    Result<JobRequest> request = request_for(args, std::move(options));
    if (!request) return request.error();
    return enqueue(std::move(*request));
  }
  Result<EnqueuedJob> enqueue(JobRequest request) const;

  // All or nothing, up to 10,000, in one commit.
  Result<std::vector<EnqueuedJob>> enqueue_all(std::vector<JobRequest> requests) const;

  // Errc::not_found for a job that does not exist, or no longer.
  Result<JobRecord> get(const JobId& id) const;
  // The same once the job has ended, or as it is after `longest`.
  Result<JobRecord> wait(const JobId& id, Duration longest) const;
  // The result's JSON. A job that failed is Errc::refused with Code::job_failed or job_canceled;
  // one that has not ended in time is Errc::unavailable.
  Result<std::string> result(const JobId& id, Duration longest) const;
  template <class T>
  Result<T> result_as(const JobId& id, Duration longest) const {
    Result<std::string> json = result(id, longest);
    if (!json) return json.error();
    return from_json<T>(*json);
  }

  // A waiting job ends at once; the owner of a running one is asked to stop, or with `force`
  // loses it.
  Result<Settled> cancel(const JobId& id, bool force = false) const;

  // Newest first. An empty namespace is this client's.
  Result<ListPage> list(ListQuery query = {}) const;

 private:
  // Shared with the Longshore that made this client.
  std::shared_ptr<Node> node_;
};

}  // namespace longshore
