// Commands are what a Store can be told, verdicts what it answers. Every command names its
// namespace, carries no time (the store's own clock judges) and may be sent again after a lost
// reply: ids that the caller chose let the store see that it has already happened.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "longshore/code.h"
#include "longshore/id.h"
#include "longshore/job.h"
#include "longshore/rules.h"
#include "longshore/time.h"

namespace longshore {

// On whose behalf an operator's command is sent. What it changes is written to the audit trail
// in the same commit.
struct Actor {
  std::string name;        // the token's name, or "local"
  std::string request_id;  // ties the entry to a log line
  friend bool operator==(const Actor&, const Actor&) = default;
};

// ---- Producing -------------------------------------------------------------------------------

// What to do when a live job already has the same type and job key.
enum class OnConflict : std::uint8_t { existing, reject, replace };

struct NewJob {
  JobId id;
  bool id_is_made = false;  // by this node, at random: nobody else can have it already
  std::string type;
  std::string queue = "default";
  int priority = 5;
  JobBody body;
  Policy policy;  // resolved: job field > type > queue > profile > default
  std::string job_key;
  std::string idempotency_key;
  std::uint64_t body_hash = 0;  // of the request, to tell a repeat from a different one
  OnConflict on_conflict = OnConflict::existing;
  std::optional<Instant> run_at;  // at most one of these two
  Duration delay;
  std::optional<Instant> expires_at;
  std::optional<Callback> callback;
  std::optional<JobId> redrive_of;
};

// All or nothing, judged in order as if sent singly: a later job sees the keys of an earlier.
struct Enqueue {
  std::string ns;
  std::vector<NewJob> jobs;      // 1 to 10,000
  bool reject_mismatch = false;  // a known idempotency key with another body_hash is refused
};

// Two-phase stores only: moves recorded jobs on to queued or scheduled.
struct Accept {
  std::string ns;
  std::vector<JobId> jobs;
};

// ---- Working ---------------------------------------------------------------------------------

// Sent again with the same id, answers the leases of that id that still hold; if none does, it
// is a new claim.
struct Claim {
  RequestId id;  // random; the tokens derive from it
  std::string ns;
  std::string worker;
  std::optional<NodeId> node;                     // set by a worker inside a node's own process
  std::vector<std::string> queues = {"default"};  // visited in this order
  std::optional<std::vector<std::string>> types;  // none: any
  int limit = 1;
  std::optional<Duration> lease;              // none: by the rules
  std::int64_t bytes_max = 16 * 1024 * 1024;  // leases fewer rather than answer more
  std::optional<Duration> queued_for = {};    // only jobs that nobody has started for longer
};

struct Heartbeat {
  RequestId id;  // so that a log is not appended twice
  std::string ns;
  JobId job;
  LeaseToken token;
  std::optional<Duration> extend;  // none: the lease's own length
  std::optional<double> progress;
  std::optional<std::string> checkpoint;
  std::string log;
};

struct Complete {
  std::string ns;
  JobId job;
  LeaseToken token;
  std::string result = "null";
  std::string log;
};

struct Fail {
  std::string ns;
  JobId job;
  LeaseToken token;
  JobError error;
  bool retryable = true;
  std::optional<Duration> retry_after;  // overrides the back-off
  std::string log;
};

struct Release {
  std::string ns;
  JobId job;
  LeaseToken token;
  std::optional<Duration> delay;  // none: to the front of its queue
  std::optional<std::string> checkpoint;
  std::string log;
  // Set by a node that could not deliver the lease: its Lease::heard. Refused with lease_lost if
  // the worker was heard since, because then it knows of the lease from another answer.
  std::optional<Instant> heard = {};
};

struct HandOff {
  std::string ns;
  JobId job;
  LeaseToken token;
  std::optional<Duration> timeout;  // none: the job's own
};

// A result, or an error that may be tried again.
struct Outcome {
  std::optional<std::string> result;  // set: success
  JobError error;                     // meaningful when there is no result
  bool retryable = true;
};

// The reply of an outside process that knows a job by its type and key.
struct FinishByKey {
  RequestId id;
  std::string ns;
  std::string type;
  std::string key;
  Outcome outcome;
  std::optional<std::int64_t> fence;  // must equal the epoch when given
};

// ---- Operating -------------------------------------------------------------------------------

struct Cancel {
  std::string ns;
  JobId job;
  bool force = false;
  std::optional<Actor> actor;
};

struct Promote {  // run now
  std::string ns;
  JobId job;
  Actor actor;
};

struct Resolve {  // finish without running
  RequestId id;
  std::string ns;
  JobId job;
  Outcome outcome;
  Actor actor;
};

// A new job, linked to the one it repeats; under Rules::Terminal::reopen the same job, again.
struct Redrive {
  std::string ns;
  JobId job;
  JobId successor;  // the new job's id
  std::optional<std::string> payload;
  std::optional<std::string> queue;
  std::optional<int> priority;
  std::optional<int> max_retries;
  std::optional<Duration> timeout;
  Duration delay;  // at most one of these two
  std::optional<Instant> run_at;
  std::optional<Actor> actor;  // none: one entry of the audit trail stands for many of these
};

struct PauseQueue {
  std::string ns;
  std::string queue;
  bool paused = true;
  Actor actor;
};

// Says in the audit trail what one call does to many jobs, whose own commands name no actor. Sent
// again within a minute, it changes nothing.
struct RecordAudit {
  std::string ns;
  Actor actor;
  std::string action;
  std::string target;  // which jobs, in words
};

// ---- Time passing: bounded sweeps, safe to run on any number of nodes at once -----------------

struct Due {  // scheduled and retry jobs whose time has come
  int limit = 1000;
};
struct Reap {  // leases that ended and hand-offs overdue
  int limit = 1000;
  bool lost_leases = true;  // false: only attempts and hand-offs that reached their deadline
  Instant ended_from = {};  // passes over leases that ended before
};
struct Sweep {  // expired jobs, recorded jobs nobody accepted, queued jobs stuck in no index
  int limit = 1000;
  bool all_namespaces = false;  // false: a store may look for stuck jobs in some of them at a time
};
struct Prune {  // finished jobs past retention, keys that outlived theirs, and what is old:
                // minutes, workers, the audit trail, groups of errors
  int limit = 1000;
};

// A node begins: what its rules let it take back is requeued, and leases of others that ended
// while no node was up get one more term.
struct StartNode {
  NodeId node;
  std::string name;
};
struct SeeNode {  // a node is alive
  NodeId node;
  std::string name;
};

// ---- Configuration and observation ------------------------------------------------------------

struct QueueRule {
  std::string ns;
  std::string queue;
  std::optional<int> max_running;
  std::optional<Duration> keep_success, keep_canceled, keep_dead;
  friend bool operator==(const QueueRule&, const QueueRule&) = default;
};
struct TypeRule {
  std::string ns;
  std::string type;
  std::optional<int> max_running;
  std::optional<Duration> keep_success, keep_canceled, keep_dead;
  friend bool operator==(const TypeRule&, const TypeRule&) = default;
};
// Replaces every queue and type rule by these; pauses stay as they are.
struct Configure {
  std::vector<QueueRule> queues;
  std::vector<TypeRule> types;
};

// Changes rules of the whole store that its profile does not fix; what is not named stays. Every
// node uses the new ones from its next SeeNode at the latest. A revision below the stored one is
// refused with old_revision.
struct SetRules {
  std::string ns = "default";                     // of the audit entry
  std::map<std::string, std::string> rules = {};  // {"timeoutSeconds", "60"}
  std::string source = "default";                 // whose revision this is
  std::optional<std::int64_t> revision = {};      // none: the stored one stays
  bool only_if_newer = false;                     // an equal revision is refused, too
  Actor actor = {};
};

struct WorkerInfo {
  std::string ns;
  std::string worker;
  std::optional<NodeId> node;
  std::vector<std::string> queues;
  std::vector<std::string> types;  // empty: any
  int slots = 0;
  std::string host;
  std::string version;
  friend bool operator==(const WorkerInfo&, const WorkerInfo&) = default;
};
struct SeeWorkers {
  std::vector<WorkerInfo> workers;
};

// What one node saw of one queue and type in one minute. Sending a row again overwrites it.
struct MinuteRow {
  Instant minute;
  NodeId node;
  std::string ns;
  std::string queue;
  std::string type;
  std::int64_t enqueued = 0, started = 0, succeeded = 0, failed = 0, dead = 0, canceled = 0;
  std::int64_t wait_millis = 0, run_millis = 0;
  friend bool operator==(const MinuteRow&, const MinuteRow&) = default;
};
struct RecordMinutes {
  std::vector<MinuteRow> rows;
};

struct TokenRecord {
  std::string id;  // public part
  std::string ns;
  std::string name;
  std::string role;
  std::string hash;  // keyed hash of the secret part
  Instant created_at;
  std::optional<Instant> expires_at;
  std::optional<Instant> last_used_at;
  friend bool operator==(const TokenRecord&, const TokenRecord&) = default;
};
struct PutToken {  // created_at is the store's
  TokenRecord token;
  Actor actor;
};
struct RevokeToken {
  std::string ns;
  std::string id;
  Actor actor;
};
struct TouchToken {  // it was used
  std::string id;
};

using Command = std::variant<Enqueue, Accept, Claim, Heartbeat, Complete, Fail, Release, HandOff,
                             FinishByKey, Cancel, Promote, Resolve, Redrive, PauseQueue, Due, Reap,
                             Sweep, Prune, StartNode, SeeNode, Configure, SetRules, SeeWorkers,
                             RecordMinutes, PutToken, RevokeToken, TouchToken, RecordAudit>;

// ---- Verdicts ---------------------------------------------------------------------------------

// The command changed nothing.
struct Refusal {
  Code code = Code::invalid_field;
  std::string detail;        // what was wrong and what to do
  std::optional<JobId> job;  // the job in the way, of key_in_use
  std::size_t index = 0;     // which job of an Enqueue
  friend bool operator==(const Refusal&, const Refusal&) = default;
};

struct EnqueuedJob {
  JobId id;
  Status status = Status::pending;
  bool fresh = true;  // false: an earlier job answered
  friend bool operator==(const EnqueuedJob&, const EnqueuedJob&) = default;
};
struct Enqueued {
  std::vector<EnqueuedJob> jobs;  // one for each asked, in order
  friend bool operator==(const Enqueued&, const Enqueued&) = default;
};

// A job in the hands of one worker.
struct Lease {
  JobId job;
  LeaseToken token;  // its epoch is the fence
  std::string type;
  std::string job_key;
  std::string queue;
  JobBody body;
  int attempt = 0;
  int failures = 0;
  int max_retries = 0;
  Instant lease_expires_at;
  Instant deadline_at;
  Instant created_at;
  std::optional<std::string> checkpoint;
  std::optional<JobError> last_error;
  // Zero when the claim is granted; changes with each heartbeat, and rises when the same claim is
  // sent again and answered with this lease.
  Instant heard;
  Instant heard_before;  // until this answer
  friend bool operator==(const Lease&, const Lease&) = default;
};
struct Leased {
  std::vector<Lease> leases;
  friend bool operator==(const Leased&, const Leased&) = default;
};

struct Beaten {
  Instant lease_expires_at;
  bool cancel_requested = false;
  friend bool operator==(const Beaten&, const Beaten&) = default;
};

// One job stands at this status now; of a repeated settlement, at the status answered before.
struct Settled {
  JobId job;
  Status status = Status::pending;
  bool asked = false;  // of Cancel: the owner was asked, the job still runs
  friend bool operator==(const Settled&, const Settled&) = default;
};

struct Swept {
  std::int64_t count = 0;             // jobs moved, requeued or pruned
  bool more = false;                  // the limit was reached: come back at once
  std::optional<Instant> next;        // when the next one is due, as far as known
  std::optional<Instant> seen_until;  // of Reap: everything that ended before this was judged
  std::vector<std::string> repaired;  // of Sweep: jobs that stood in no index, in words
  friend bool operator==(const Swept&, const Swept&) = default;
};

struct Done {
  friend bool operator==(const Done&, const Done&) = default;
};

using Verdict = std::variant<Refusal, Enqueued, Leased, Beaten, Settled, Swept, Done>;

}  // namespace longshore
