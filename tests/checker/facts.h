// The history indexed for the rules: operations instead of events, and all facts of each job.
// Points into the History, which must outlive the Facts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "checker/history.h"
#include "checker/judge.h"

namespace longshore::checker {

// An invoke with its return. Without a return the outcome is unknown.
struct Operation {
  const Call* call = nullptr;
  const Answer* answer = nullptr;  // null without a return
  Kind kind = Kind::info;
  std::string_view process;
  std::int64_t op = 0;
  std::int64_t invoked = 0;
  std::int64_t returned = seq_never;
  Instant floor = Instant::millis(0);  // the store's time was at least this when it was invoked
  Instant ceiling = Instant::never();  // and at most this when it was applied

  bool ok() const { return kind == Kind::ok; }
  bool maybe() const { return kind != Kind::fail; }
};

// One transition and when it can have happened, by the operations that explain it.
struct Row {
  const Transition* row = nullptr;
  std::int64_t after = 0;           // it happened after this event
  std::int64_t before = seq_never;  // and before this one
  Instant floor = Instant::millis(0);
  Instant ceiling = Instant::never();
  bool internal = false;  // caused by the store itself: needs no operation
  std::vector<const Operation*> by;
};

// One claim of a job, from the grant to the row that ended it.
struct LeaseFacts {
  std::int64_t epoch = 0;
  const Row* claim = nullptr;
  const Row* hand_off = nullptr;
  const Row* end = nullptr;
  const Grant* grant = nullptr;
  Instant acknowledged = Instant::millis(0);  // the latest end promised to its owner
  bool unsure = false;  // a heartbeat without an answer may have moved the end further
};

struct JobFacts {
  JobId id;
  const JobDump* dump = nullptr;      // null: not in the store at the end
  std::vector<const Operation*> ops;  // in the order of invocation
  std::vector<Row> rows;
  std::vector<LeaseFacts> leases;
  const Asked* asked = nullptr;            // the enqueue that made it
  const Asked* content = nullptr;          // the one that wrote what it holds now
  const Operation* redriven_by = nullptr;  // or the redrive that made it
  std::string_view ns;                     // of that enqueue
  bool acknowledged = false;               // its enqueue was acknowledged
  bool whole() const { return dump != nullptr && dump->history_dropped == 0; }
};

class Facts {
 public:
  Facts(const History& history, const Options& options, Judgement& judgement);

  // `other`: a second job without which the violation cannot be understood.
  void violate(std::string_view rule, const JobFacts* job, std::string what,
               const JobFacts* other = nullptr);
  void count(const std::string& counter, std::int64_t by = 1) { judgement.counters[counter] += by; }
  JobFacts* find(const JobId& id);
  // The job itself, or the first job of a chain of redrives. Null if unknown.
  const JobFacts* origin_of(const JobFacts& job);

  const History& history;
  const Options& options;
  Judgement& judgement;
  std::vector<Operation> ops;  // in the order of invocation
  std::unordered_map<JobId, JobFacts> jobs;
  std::vector<JobFacts*> ordered;            // all jobs, in the order of first mention
  std::vector<const Operation*> configures;  // those that may have happened
  // Those that may have been in force at this time. The first configuration counts from the
  // beginning: harnesses configure first.
  std::vector<const Operation*> in_force(Instant at) const;
  // Every id that an enqueue may have created, and when an enqueue without an answer first used it.
  std::unordered_map<JobId, std::int64_t> wanted;
  bool disturbed = false;  // a node restarted, or the harness injected faults
  std::optional<Instant> healed_at;
  std::int64_t healed = seq_never;
  Instant ended_at = Instant::millis(0);

 private:
  void pair_events();
  void begin(const Event& event);
  void end(const Event& event);
  void note(const Event& event);
  void undo(std::int64_t set_back);
  void gather_wishes();
  void gather_jobs();
  void mention(const Operation& op);
  void attach(const Operation& op);
  void attach_enqueue(const Operation& op);
  void attach_by_key();
  void attach_unnamed();
  JobFacts& at(const JobId& id);
  std::vector<std::string> events_of(const JobFacts& job) const;

  std::unordered_map<std::int64_t, std::size_t> open_;  // operations by their number
  Instant floor_ = Instant::millis(0);
  std::int64_t copying_ = 0, copied_ = 0;         // when the store was copied last
  std::int64_t setting_back_ = 0, set_back_ = 0;  // when it was replaced by that copy
};

// "complete by w1 -> ok COMPLETED", for people.
std::string describe(const Operation& op);
std::string describe(const Transition& row);

// The rules, each over everything.
void explain_rows(Facts& facts);  // first: the others build on it
void gather_leases(Facts& facts);
void check_accepted(Facts& facts);    // S1, S2, S3, S22, S24
void check_rows(Facts& facts);        // S6, S7, S8, S9
void check_operations(Facts& facts);  // B1, B2, B3
void check_leases(Facts& facts);      // S9, S10, S11
void check_outcomes(Facts& facts);    // S7, S8 of reads; S12, S17
void check_attempts(Facts& facts);    // S13
void check_timers(Facts& facts);      // S14, S15
void check_keys(Facts& facts);        // S4, S5
void check_lists(Facts& facts);       // S18, S20, S21, A1
void check_limits(Facts& facts);      // S23
void check_settings(Facts& facts);    // S27
void check_operators(Facts& facts);   // S25
void check_retention(Facts& facts);   // S26
void check_black_box(Facts& facts);   // X1
void check_liveness(Facts& facts);    // L1, L2, L3
void count_executions(Facts& facts);  // D1

// True if retention can have deleted the job.
bool may_be_pruned(Facts& facts, const JobFacts& job);

}  // namespace longshore::checker
