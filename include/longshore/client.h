// A Client brings jobs in, asks what became of them, and finishes, redrives or cancels them: in a
// store of this process or on a server across the network.
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

class JobService;  // what a Client asks: a node in this process, or a server

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
  // Chosen by you, so that a repeated call makes one job: a UUIDv7 whose time is within 24 h of the
  // store's. Taken by a job of another type or namespace: Code::id_in_use.
  std::optional<JobId> id = {};
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

// How a reply by key is judged.
struct FinishOptions {
  std::optional<std::int64_t> fence = {};  // must equal the job's epoch, else Code::lease_lost
  bool retryable = true;                   // of a failure: the job's retries apply
  // Chosen by you, so that a repeated call is answered as the first was. None: a new one.
  std::optional<RequestId> id = {};
};

// What differs in the new run of a job. Everything else is copied.
struct RedriveOptions {
  std::optional<std::string> payload = {};  // JSON
  std::optional<std::string> queue = {};
  std::optional<int> priority = {};
  std::optional<int> max_retries = {};
  std::optional<Duration> timeout = {};
  std::optional<Instant> run_at = {};  // at most one of these two
  Duration delay = {};
};

// Safe to share between threads; cheap to copy, such as into a handler that brings more jobs in.
// Every call blocks until the store has answered. What an Error means:
//
//   invalid      nothing happened; an argument is wrong, and the message names it
//   not_found    there is no such job in this namespace, or no longer
//   refused      nothing happened; Error::refusal says why: wrong_state, terminal, key_in_use,
//                id_in_use, lease_lost, already_settled, not_in_profile; of a server also
//                unauthenticated and forbidden. Without a refusal: Longshore::stop was called.
//   overloaded   nothing happened; come back later
//   disk_full    nothing happened; the store has no room
//   unavailable  the outcome is unknown, or the server cannot be reached; the same call may be
//                sent again
//
// Across the network a call is repeated by itself until OpenOptions::retry_for has passed; ids make
// that safe. A token's role decides which calls are allowed: a producer may enqueue, get, wait,
// result, watch and cancel; a worker may find and finish by key; an operator may do everything.
class Client {
 public:
  explicit Client(std::shared_ptr<JobService> service);  // what Longshore::client() does

  // The job is durable when the call returns. After Errc::unavailable it may or may not exist:
  // repeat the call with the same `id` or idempotency key. `fresh` of a server's answer is true if
  // the job has the id that was sent.
  template <JobArgs Args>
  Result<EnqueuedJob> enqueue(const Args& args, EnqueueOptions options = {}) const {
    Result<JobRequest> request = request_for(args, std::move(options));
    if (!request) return request.error();
    return enqueue(std::move(*request));
  }
  Result<EnqueuedJob> enqueue(JobRequest request) const;

  // All or nothing, up to 10,000, in one commit. A server takes 16 MiB, and one traceparent for
  // all.
  Result<std::vector<EnqueuedJob>> enqueue_all(std::vector<JobRequest> requests) const;

  // A server tells everything but what only a store needs: order, claim, node, settled, content,
  // prune_after and heartbeat_due_at are empty, and the namespace is the token's. A producer's
  // token gets the public part: id, type, times, progress, error and result, and a state that says
  // no more than the status (queued for PENDING, running for RUNNING).
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

  // Calls `seen` with each transition from the one after `after` on, in order, until the job has
  // ended, `seen` answers false or `stop` is requested. Answers the seq of the last one seen, to go
  // on from. A server's answer that breaks off is asked for again from there; Errc::unavailable
  // once it has been away for OpenOptions::retry_for. A server tells no epoch and no worker, and of
  // `detail` only an error's code.
  using Seen = std::function<bool(const Transition& transition)>;
  Result<std::int64_t> watch(const JobId& id, const Seen& seen, std::stop_token stop = {},
                             std::int64_t after = 0) const;

  // The live job of this type and key, else the latest one.
  Result<Job> find_by_key(std::string_view type, std::string_view key) const;
  // Finish the live job of a key from outside: one that runs, was handed off, or has run before.
  // `result` is JSON. Errc::not_found if no job of the key is live, Code::wrong_state for one that
  // was never started.
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

  // A new job, linked to the dead or canceled one that it repeats; Settled::job is the new one. A
  // repeat answers the same successor. Code::key_in_use while a live job has the key.
  Result<Settled> redrive(const JobId& id, RedriveOptions options = {}) const;
  // A scheduled job, or one that waits for its retry, may run now.
  Result<Settled> promote(const JobId& id) const;
  // Finishes a job without running it: with the outcome's result, or else with its error, for good.
  // A repeat with the same `request` is answered as the first was. None: a new one.
  Result<Settled> resolve(const JobId& id, Outcome outcome,
                          std::optional<RequestId> request = {}) const;

  // A waiting job ends at once; the owner of a running one is asked to stop, or with `force`
  // loses it.
  Result<Settled> cancel(const JobId& id, bool force = false) const;

  // Newest first. An empty namespace is this client's; a server lists no other, at most 500 a page,
  // and takes hide_redriven of dead jobs alone.
  Result<ListPage> list(ListQuery query = {}) const;

 private:
  // Shared with the Longshore that made this client.
  std::shared_ptr<JobService> service_;
};

}  // namespace longshore
