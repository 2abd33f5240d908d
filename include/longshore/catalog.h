// The Catalog is the read-only interface of a store, for dashboards, audits and tests. Each call
// sees a snapshot; two calls may see different ones.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "longshore/command.h"
#include "longshore/error.h"
#include "longshore/job.h"

namespace longshore {

// A state, and optionally whether the job was withdrawn (canceled or expired) and whether any
// attempt has started.
struct StateMatch {
  State state = State::created;
  std::optional<bool> withdrawn = {};
  std::optional<bool> started = {};
  friend bool operator==(const StateMatch&, const StateMatch&) = default;
};
// Whether one of them matches the job; an empty list matches every job.
bool matches(std::span<const StateMatch> states, const Job& job);

// Called regularly during a read, on its thread. An error that it returns ends the read and is its
// result. Must not block.
using ReadStop = std::function<std::optional<Error>()>;

// Which jobs to list; absent members match all. Newest first: sorted by id, and so by creation
// time.
struct ListQuery {
  std::string ns = {};
  std::vector<StateMatch> states = {};  // any of them; empty: every state
  std::optional<std::string> type = {};
  std::optional<std::string> queue = {};
  std::optional<std::string> tag = {};
  std::optional<std::string> job_key = {};
  std::optional<std::string> idempotency_key = {};
  std::optional<std::string> error = {};       // part of the latest error's code or message
  std::optional<Instant> created_after = {};   // at or after
  std::optional<Instant> created_before = {};  // before
  bool hide_redriven = false;                  // leave out jobs that have a successor
  int limit = 50;
  std::optional<JobId> before = {};  // the last id of the page before
  ReadStop stop = {};                // empty: no limit
};

struct JobSummary {
  Job job;
  std::vector<std::string> tags;
  std::optional<JobError> error = {};  // the latest, without its details; absent after success
  friend bool operator==(const JobSummary&, const JobSummary&) = default;
};

struct ListPage {
  std::vector<JobSummary> jobs;
  std::optional<JobId> next;  // for `before`; none at the end
};

struct QueueView {
  std::string ns;
  std::string queue;
  std::map<State, std::int64_t> depth;   // a withdrawn job counts as CANCELED
  std::optional<Instant> oldest_queued;  // when the head of the queue became eligible
  bool paused = false;
  std::optional<int> max_running;
  friend bool operator==(const QueueView&, const QueueView&) = default;
};

struct WorkerView {
  WorkerInfo info;
  Instant seen_at;
  std::vector<JobId> jobs;  // the jobs it holds
  friend bool operator==(const WorkerView&, const WorkerView&) = default;
};

struct NodeView {
  NodeId node;
  std::string name;
  Instant started_at;
  Instant seen_at;
  friend bool operator==(const NodeView&, const NodeView&) = default;
};

struct ErrorGroup {
  std::string ns;
  std::string type;
  std::uint64_t fingerprint = 0;
  std::int64_t count = 0;
  Instant first_at;
  Instant last_at;
  JobId sample;
  std::string code;
  std::string message;  // first line, of the latest
  friend bool operator==(const ErrorGroup&, const ErrorGroup&) = default;
};

// The jobs whose latest counted failure belongs to an error group, by their current state.
struct GroupJobs {
  std::int64_t dead = 0;
  std::int64_t retrying = 0;   // not ended
  std::int64_t recovered = 0;  // succeeded later
  bool more = false;           // not all jobs were counted
  friend bool operator==(const GroupJobs&, const GroupJobs&) = default;
};

struct AuditEntry {
  std::int64_t number = 0;  // increases within a namespace
  Instant at;
  std::string ns;
  Actor actor;
  std::string action;  // "cancel", "redrive", "pause", ...
  std::string target;  // a job id, a queue, a token id; for a bulk call, a description of its jobs
  friend bool operator==(const AuditEntry&, const AuditEntry&) = default;
};

struct KeyView {
  JobId job;
  Status last_status = Status::pending;
  std::uint64_t body_hash = 0;
  friend bool operator==(const KeyView&, const KeyView&) = default;
};

// One inconsistency in a store.
struct Finding {
  std::string rule;  // a stable code, such as "lease-without-running-job"
  std::string what;  // which job or key, and what was expected
  friend bool operator==(const Finding&, const Finding&) = default;
};

// The progress of an audit.
struct AuditProgress {
  std::int64_t jobs_checked = 0;
  std::string rule;  // being checked, as in Finding; empty: the job records
};
// Called between the parts of an audit, on its thread; false ends it. Must not block.
using AuditWatch = std::function<bool(const AuditProgress&)>;

struct Audit {
  std::int64_t jobs_checked = 0;
  std::vector<Finding> findings;           // at most 1,000
  std::vector<std::string> warnings = {};  // problems outside the store's data, such as its clock
  bool sound() const { return findings.empty(); }
};

// Safe to share between threads.
class Catalog {
 public:
  virtual ~Catalog() = default;

  // The store's time.
  virtual Result<Instant> now() = 0;

  // Errc::not_found if the job does not exist in this namespace, or was pruned.
  virtual Result<JobRecord> get(const std::string& ns, const JobId& id) = 0;
  // The same without body, result, errors and history.
  virtual Result<Job> glance(const std::string& ns, const JobId& id) = 0;
  // The live job of this type and key, else the latest one.
  virtual Result<Job> find_by_key(const std::string& ns, const std::string& type,
                                  const std::string& key) = 0;
  // The job of an idempotency key; the key outlives the job.
  virtual Result<KeyView> find_idempotency_key(const std::string& ns, const std::string& key) = 0;
  // The version of each job, in order; 0 if it does not exist. For waiting on jobs that another
  // node may change.
  virtual Result<std::vector<std::int64_t>> versions(const std::string& ns,
                                                     std::span<const JobId> ids) = 0;
  virtual Result<ListPage> list(const ListQuery& query) = 0;
  virtual Result<std::vector<AttemptLog>> logs(const std::string& ns, const JobId& id) = 0;
  // The number of jobs before a queued one in its queue; counts up to `most`.
  virtual Result<std::int64_t> ahead(const std::string& ns, const JobId& id, std::int64_t most) = 0;

  // Queues from the name `from` on, sorted bytewise by name; at most `limit`.
  virtual Result<std::vector<QueueView>> queues(const std::string& ns, const std::string& from = {},
                                                int limit = std::numeric_limits<int>::max()) = 0;
  virtual Result<std::vector<WorkerView>> workers(const std::string& ns) = 0;
  virtual Result<std::vector<NodeView>> nodes() = 0;
  virtual Result<std::vector<MinuteRow>> minutes(const std::string& ns, Instant since) = 0;
  virtual Result<std::vector<ErrorGroup>> error_groups(const std::string& ns) = 0;
  // One entry for each of these groups, which error_groups() returned. Counts at most `most` jobs
  // of each, the newest or latest failed, and none that failed before the store had this index.
  virtual Result<std::vector<GroupJobs>> jobs_of_groups(std::span<const ErrorGroup> groups,
                                                        int most) = 0;
  // Newest first. `before`: only entries with a lower number, for the next page.
  virtual Result<std::vector<AuditEntry>> audit_trail(const std::string& ns, int limit,
                                                      std::optional<std::int64_t> before = {}) = 0;
  virtual Result<std::vector<TokenRecord>> tokens() = 0;
  virtual Result<Configure> configuration() = 0;
  virtual Result<StoredRules> stored_rules() = 0;

  // Calls `visit` with every job of every namespace, in the order of ids. Stops when it returns
  // false.
  virtual Result<Nothing> each(const std::function<bool(const JobRecord&)>& visit) = 0;

  // Checks the consistency of the store: indexes agree with records, leases belong to running jobs,
  // counts are correct, histories are legal, and every eligible job can be claimed. Takes long, and
  // reads in parts, so that neither commits nor other reads wait for it. Errc::unavailable if the
  // watch ended it.
  virtual Result<Audit> audit(const AuditWatch& watch = {}) = 0;
};

}  // namespace longshore
