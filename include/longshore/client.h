// A Client enqueues, reads, finishes, redrives and cancels jobs, in a store of this process or on a
// server.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
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

class JobService;  // a node in this process, or a server

struct EnqueueOptions {
  std::string queue = "default";
  int priority = 5;                    // 0 first, 9 last
  std::optional<Instant> run_at = {};  // at most one of these two
  Duration delay = {};
  std::optional<Instant> expires_at = {};         // latest start of any attempt
  std::string job_key = {};                       // at most one live job per type and key
  OnConflict on_conflict = OnConflict::existing;  // when the job key is taken
  std::string idempotency_key = {};               // at most one job; a repeat returns the first
  PolicyLayer policy = {};                        // overrides the policy of the type and the queue
  std::vector<std::string> tags = {};
  std::map<std::string, std::string> metadata = {};
  std::string traceparent = {};           // W3C trace context
  std::optional<Callback> callback = {};  // where the outcome is delivered
  // Set it to make a repeated call create one job: a UUIDv7 whose time is within 24 h of the
  // store's. Code::id_in_use if a job of another type or namespace has it.
  std::optional<JobId> id = {};
};

// A job to enqueue, with its payload as JSON. See request_for() for typed arguments.
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

// Options of a reply by key.
struct FinishOptions {
  std::optional<std::int64_t> fence = {};  // must equal the job's epoch, else Code::lease_lost
  bool retryable = true;                   // for a failure: use the job's retries
  // Set it to make repeated calls idempotent. None: a new one.
  std::optional<RequestId> id = {};
};

// Overrides for the new job. Everything else is copied.
struct RedriveOptions {
  std::optional<std::string> payload = {};  // JSON
  std::optional<std::string> queue = {};
  std::optional<int> priority = {};
  std::optional<int> max_retries = {};
  std::optional<Duration> timeout = {};
  std::optional<Instant> run_at = {};  // at most one of these two
  Duration delay = {};
};

// Safe to share between threads; cheap to copy, for example into a handler that enqueues more jobs.
// Every call blocks until the store has answered. Errors:
//
//   invalid      nothing happened; the message names the invalid argument
//   not_found    the job does not exist in this namespace, or was pruned
//   refused      nothing happened; Error::refusal says why: wrong_state, terminal, key_in_use,
//                id_in_use, lease_lost, already_settled, not_in_profile; from a server also
//                unauthenticated and forbidden. Without a refusal: Longshore::stop was called.
//   overloaded   nothing happened; retry later
//   disk_full    nothing happened; the store's disk is full
//   unavailable  the outcome is unknown, or the server cannot be reached; the call can be repeated
//
// With a server, calls are retried automatically for OpenOptions::retry_for; ids make that safe.
// The token's role decides which calls are allowed: a producer may enqueue, get, wait, result,
// watch and cancel; a worker may find and finish by key; an operator may do everything.
class Client {
 public:
  explicit Client(std::shared_ptr<JobService> service);  // used by Longshore::client()

  // The job is durable when the call returns. After Errc::unavailable it may or may not exist:
  // repeat the call with the same `id` or idempotency key. From a server, `fresh` is true if the
  // job has the id that was sent.
  template <JobArgs Args>
  Result<EnqueuedJob> enqueue(const Args& args, EnqueueOptions options = {}) const {
    Result<JobRequest> request = request_for(args, std::move(options));
    if (!request) return request.error();
    return enqueue(std::move(*request));
  }
  Result<EnqueuedJob> enqueue(JobRequest request) const;

  // All or none, up to 10,000, in one commit. A server accepts up to 16 MiB, and one traceparent
  // for all.
  Result<std::vector<EnqueuedJob>> enqueue_all(std::vector<JobRequest> requests) const;

  // From a server, the internal fields order, claim, node, settled, content, prune_after and
  // heartbeat_due_at are empty, and the namespace is the token's. With a producer's token only the
  // public part is set: id, type, times, progress, error and result, and the state is derived from
  // the status (queued for PENDING, running for RUNNING).
  Result<JobRecord> get(const JobId& id) const;
  // Waits until the job has ended, at most `longest`, and returns its current record.
  Result<JobRecord> wait(const JobId& id, Duration longest) const;
  // Waits for the result, as JSON. Errc::refused with Code::job_failed or job_canceled if the job
  // did not succeed; Errc::unavailable if it has not ended in time.
  Result<std::string> result(const JobId& id, Duration longest) const;
  template <class T>
  Result<T> result_as(const JobId& id, Duration longest) const {
    Result<std::string> json = result(id, longest);
    if (!json) return json.error();
    return from_json<T>(*json);
  }

  // Calls `seen` with each transition after the seq `after`, in order, until the job has ended,
  // `seen` returns false or `stop` is requested. Returns the seq of the last one, for the next
  // call. Reconnects to a server after an interruption; Errc::unavailable once it has been
  // unreachable for OpenOptions::retry_for. From a server, epoch and worker are empty, and `detail`
  // is only an error code.
  using Seen = std::function<bool(const Transition& transition)>;
  Result<std::int64_t> watch(const JobId& id, const Seen& seen, std::stop_token stop = {},
                             std::int64_t after = 0) const;

  // The live job of this type and key, else the latest one.
  Result<Job> find_by_key(std::string_view type, std::string_view key) const;
  // Finish the live job of a key: one that is running, was handed off, or has run before. `result`
  // is JSON. Errc::not_found if the key has no live job, Code::wrong_state if it was never started.
  Result<Settled> complete_by_key(std::string_view type, std::string_view key,
                                  std::string result = "null", FinishOptions options = {}) const;
  template <JobArgs Args, class T>
  Result<Settled> complete_by_key(std::string_view key, const T& result,
                                  FinishOptions options = {}) const {
    Result<std::string> json = to_json(result);
    if (!json) return json.error();
    return complete_by_key(Args::job_type, key, std::move(*json), std::move(options));
  }
  Result<Settled> fail_by_key(std::string_view type, std::string_view key, JobError error,
                              FinishOptions options = {}) const;

  // Creates a new job from a dead or canceled one and links the two; Settled::job is the new one. A
  // repeat returns the same successor. Code::key_in_use while a live job has the key.
  Result<Settled> redrive(const JobId& id, RedriveOptions options = {}) const;
  // Makes a scheduled job, or one that waits for its retry, run now.
  Result<Settled> promote(const JobId& id) const;
  // Finishes a job permanently without running it, with the outcome's result or else its error. A
  // repeat with the same `request` has no effect. None: a new one.
  Result<Settled> resolve(const JobId& id, Outcome outcome,
                          std::optional<RequestId> request = {}) const;

  // Ends a waiting job at once. The worker of a running job is asked to stop, or loses its lease
  // with `force`.
  Result<Settled> cancel(const JobId& id, bool force = false) const;

  // Newest first. An empty namespace means this client's. A server lists no other, returns at most
  // 500 per page, and accepts hide_redriven only for dead jobs.
  Result<ListPage> list(ListQuery query = {}) const;

 private:
  // Shared with the Longshore that made this client.
  std::shared_ptr<JobService> service_;
};

}  // namespace longshore
