// A Job is one unit of work: a plain value, a snapshot of its record in a store. Large parts
// (payload, result, errors, history) are in JobRecord, so that decisions need not load them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longshore/id.h"
#include "longshore/time.h"

namespace longshore {

// docs/states.md draws the arrows between these; core/rules/transitions.h lists which are legal.
enum class State : std::uint8_t {
  created,
  scheduled,
  queued,
  running,
  waiting,
  retry,
  success,
  dead,
  canceled,
};
inline constexpr int state_count = 9;

// The public summary of a State.
enum class Status : std::uint8_t { pending, running, completed, failed, canceled };

// Why a job moved from one State to another.
enum class Cause : std::uint8_t {
  enqueue,
  accept,
  replace,
  due,
  promote,
  claim,
  hand_off,
  complete,
  fail,
  timeout,
  lease_lost,
  release,
  limit_exceeded,
  fatal,
  cancel,
  expired,
  reopen,
};
inline constexpr int cause_count = 17;

std::string_view to_text(State state);    // "QUEUED"
std::string_view to_text(Status status);  // "PENDING"
std::string_view to_text(Cause cause);    // "handOff"
std::optional<State> parse_state(std::string_view text);
std::optional<Cause> parse_cause(std::string_view text);

Status status_of(State state);
struct Job;
// CANCELED for a job that was canceled or expired, also under rules that keep it as DEAD because
// they have no canceled state.
Status status_of(const Job& job);
struct Transition;
// The status of a job after this transition.
Status status_of(const Transition& move);
bool is_terminal(State state);  // success, dead, canceled

// The delay between a failed attempt and the next one. `max` caps the delay before jitter.
struct Backoff {
  enum class Kind : std::uint8_t { exponential, fixed, none };
  Kind kind = Kind::exponential;
  Duration base = Duration::seconds(2);
  std::optional<Duration> max = Duration::seconds(3600);
  double jitter = 0.1;  // 0.1: between 90 % and 110 % of the delay
  friend bool operator==(const Backoff&, const Backoff&) = default;
};

// Resolved when a job is enqueued, and then part of it.
struct Policy {
  int max_retries = 3;
  Duration timeout = Duration::seconds(1800);
  Backoff backoff;
  friend bool operator==(const Policy&, const Policy&) = default;
};

// Proves that a worker owns a job: the epoch of its claim, which is the fencing token, and the
// claim's random id, which cannot be guessed. Compared in constant time, so that response times
// reveal nothing.
struct LeaseToken {
  std::int64_t epoch = 0;
  RequestId claim;
  friend bool operator==(const LeaseToken& a, const LeaseToken& b);
};
bool operator==(const LeaseToken& a, const LeaseToken& b);

struct JobError {
  std::string code = {};     // the worker's, or one of the platform's such as "TIMEOUT"
  std::string message = {};  // for people
  std::string details = {};  // JSON as received, or empty
  friend bool operator==(const JobError&, const JobError&) = default;
};

// Where a job's outcome is delivered.
struct Callback {
  std::string url = {};
  std::string secret_name = {};  // empty: not signed with a named secret
  friend bool operator==(const Callback&, const Callback&) = default;
};

// The last settlement by a token, a reply by key or an operator, so that a repeat has the same
// answer. Cleared by the next claim.
struct Settlement {
  enum class Kind : std::uint8_t { complete, fail, release, hand_off };
  LeaseToken by;  // for a reply without a token: epoch 0 and the reply's id
  Kind kind = Kind::complete;
  std::uint64_t outcome = 0;  // hash of the outcome
  Status status = Status::pending;
  friend bool operator==(const Settlement&, const Settlement&) = default;
};

struct Job {
  // Set by the enqueue.
  JobId id;
  std::string ns;  // the namespace that scopes keys, queues and lists
  std::string type;
  std::string queue;
  int priority = 5;  // 0 first; equal priorities in the order of becoming eligible
  std::string job_key;
  std::string idempotency_key;
  Policy policy;
  std::optional<Instant> expires_at;  // latest start of any attempt
  std::optional<Callback> callback;
  std::optional<JobId> redrive_of;
  JobId content;  // the id of the enqueue that set the content; differs from id after a replace

  // Lifecycle.
  std::int64_t number = 0;  // assigned by the store, increasing
  State state = State::created;
  std::int64_t version = 0;  // increases with every visible change
  std::int64_t history_count = 0;
  std::int64_t order = 0;  // position in the queue; meaningful while queued
  Instant run_at;
  Instant created_at;
  Instant updated_at;
  std::optional<Instant> first_started_at;
  std::optional<Instant> started_at;
  std::optional<Instant> completed_at;
  std::optional<Instant> prune_after;  // set when it ends; none: kept forever
  Duration execution;                  // total time of the ended attempts, running and waiting
  bool cancel_requested = false;
  bool withdrawn = false;          // ended because it was canceled or expired
  std::optional<double> progress;  // 0 to 100
  std::optional<JobId> successor_id;

  // Counters.
  int attempt = 0;         // starts so far
  int failures = 0;        // counted failures
  int crashes = 0;         // lost leases, never reset
  int retry_count = 0;     // retries granted after counted failures
  std::int64_t epoch = 0;  // incremented by each claim, never decreases: the fencing token

  // Ownership. `claim` is zero if no token is valid.
  RequestId claim;
  std::string worker;
  std::optional<NodeId> node;  // of an in-process worker
  Duration lease;              // length of the lease, for heartbeats without an extension
  std::optional<Instant> lease_expires_at;  // set exactly while running
  std::optional<Instant> deadline_at;       // set while running or waiting
  // When its owner will have been silent for two thirds of the lease it last asked for. None until
  // the first heartbeat; then counted from the claim.
  std::optional<Instant> heartbeat_due_at;
  std::optional<Settlement> settled;

  friend bool operator==(const Job&, const Job&) = default;
};

// The data from the producer to the handler, stored byte for byte.
struct JobBody {
  std::string payload;  // JSON as received
  std::vector<std::string> tags;
  std::string metadata;     // JSON object of strings as received, or empty
  std::string request;      // JSON object as received, or empty
  std::string traceparent;  // W3C trace context, or empty
  friend bool operator==(const JobBody&, const JobBody&) = default;
};

// One state transition of a job.
struct Transition {
  std::int64_t seq = 0;  // 1, 2, 3, ...
  std::optional<State> from;
  State to = State::created;
  Cause cause = Cause::enqueue;
  Instant at;
  std::int64_t epoch = 0;
  std::string worker;
  std::string detail;  // an error code or a short note
  friend bool operator==(const Transition&, const Transition&) = default;
};

// One counted failure.
struct Failure {
  int attempt = 0;
  Instant at;
  JobError error;
  friend bool operator==(const Failure&, const Failure&) = default;
};

inline constexpr int failures_kept = 128;
inline constexpr int history_head_kept = 16;
inline constexpr int history_tail_kept = 240;

// Everything that a store has of one job.
struct JobRecord {
  Job job;
  JobBody body;
  std::optional<std::string> result;  // JSON; present exactly after success
  std::optional<std::string> checkpoint;
  std::optional<JobError> error;     // the latest; absent after success
  std::vector<Failure> errors;       // newest failures_kept, oldest first
  std::vector<Transition> history;   // the first and the newest, see history_*_kept
  std::int64_t history_dropped = 0;  // how many between them were dropped
  friend bool operator==(const JobRecord&, const JobRecord&) = default;
};

struct AttemptLog {
  int attempt = 0;
  std::string text;  // newest 64 KiB
  friend bool operator==(const AttemptLog&, const AttemptLog&) = default;
};
inline constexpr std::size_t log_bytes_kept = 64 * 1024;

}  // namespace longshore
