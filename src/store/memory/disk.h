// The tables of a memory store. They are plain values that outlive the store opened over them:
// closing one store and opening another on the same disk is what a crash looks like, and a test
// that wants a damaged disk writes to it while no store is at work. Everything but the records
// and the counters could be worked out from the records; audit() does, and compares.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/policy/rules_record.h"
#include "longshore/catalog.h"
#include "longshore/command.h"
#include "longshore/job.h"

namespace longshore {

struct MemoryDisk {
  struct StoredJob {
    JobRecord record;
    std::vector<AttemptLog> logs;
    std::optional<RequestId> last_log;  // who appended last
  };

  // A queue or a type within its namespace.
  struct Scoped {
    std::string ns;
    std::string name;
    friend auto operator<=>(const Scoped&, const Scoped&) = default;
  };
  // What at most one live job holds.
  struct JobKey {
    std::string ns;
    std::string type;
    std::string key;
    friend auto operator<=>(const JobKey&, const JobKey&) = default;
  };
  struct IdempotencyKey {
    std::string ns;
    bool platform = false;  // once-keys of spawned jobs never meet those of clients
    std::string key;
    friend auto operator<=>(const IdempotencyKey&, const IdempotencyKey&) = default;
  };
  struct BoundKey {
    KeyView view;                       // last_status is kept up from pruning on
    std::optional<Instant> gone_after;  // set when its job is pruned
    friend bool operator==(const BoundKey&, const BoundKey&) = default;
  };
  struct KeyPlace {
    Instant at;
    JobId job;
    IdempotencyKey key;
    friend auto operator<=>(const KeyPlace&, const KeyPlace&) = default;
  };
  struct ReadyPlace {
    int priority = 0;
    std::int64_t order = 0;
    JobId job;
    friend auto operator<=>(const ReadyPlace&, const ReadyPlace&) = default;
  };
  struct TimedPlace {
    Instant at;
    JobId job;
    friend auto operator<=>(const TimedPlace&, const TimedPlace&) = default;
  };
  using Counts = std::array<std::int64_t, state_count>;  // by State
  struct SeenWorker {
    WorkerInfo info;
    Instant seen_at;
  };
  using MinuteKey = std::tuple<Instant, NodeId, std::string, std::string, std::string>;
  using GroupKey = std::tuple<std::string, std::string, std::uint64_t>;

  struct Counters {
    std::int64_t number = 0;       // of the latest job
    std::int64_t order_back = 0;   // rises
    std::int64_t order_front = 0;  // falls
    std::int64_t audit = 0;
  };

  std::shared_ptr<const RulesRecord> rules;  // null until a store was opened here
  Instant highest_time;                      // the store's clock never answers less
  Instant committed_at;                      // when somebody committed last
  std::optional<Instant> stepped_at;         // what the clock said after its last step forward
  Counters counters;

  std::map<JobId, StoredJob> jobs;

  // Where jobs are found.
  std::map<JobKey, std::set<std::pair<std::int64_t, JobId>>> by_key;  // by number, all of them
  std::map<JobKey, JobId> live_keys;
  std::map<Scoped, std::set<ReadyPlace>> ready;  // by queue
  std::set<TimedPlace> recorded;                 // created, not accepted: by created_at
  std::set<TimedPlace> future;                   // scheduled and retry: by what comes first
  std::set<TimedPlace> leases;                   // running and waiting: by wakes_at
  std::set<TimedPlace> expiries;                 // not started: by expires_at
  std::set<TimedPlace> prunable;                 // finished: by prune_after
  std::set<std::pair<RequestId, JobId>> claims;  // running: by the claim that started it
  std::map<std::string, std::set<JobId>> dead;   // by namespace
  std::map<Scoped, Counts> counts;               // by queue
  std::map<Scoped, std::int64_t> running_of_type;

  std::map<IdempotencyKey, BoundKey> idempotency_keys;
  std::set<std::pair<JobId, IdempotencyKey>> keys_of_job;
  std::set<KeyPlace> keys_to_forget;  // by gone_after

  // What is told, and what was seen.
  std::map<Scoped, QueueRule> queue_rules;
  std::map<Scoped, TypeRule> type_rules;
  std::set<Scoped> pauses;
  std::map<Scoped, SeenWorker> workers;
  std::map<NodeId, NodeView> nodes;
  std::map<MinuteKey, MinuteRow> minutes;
  std::map<GroupKey, ErrorGroup> error_groups;
  std::vector<AuditEntry> audit_trail;
  std::map<std::string, TokenRecord> tokens;
};

}  // namespace longshore
