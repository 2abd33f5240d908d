// A SqliteTransaction is the writer's view of the store during one transaction. Commands find jobs
// in it and apply changes to it; each changed job is written once, when the transaction ends or
// when a question has to be asked in SQL. Between transactions it keeps in memory what the next
// ones will want: jobs that are held, and the next ones of each queue_type.
//
// Memory is a copy of what is committed. When a transaction fails it may be ahead of the file, and
// load() makes it anew.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/rules/change.h"
#include "core/time/store_time.h"
#include "longshore/catalog.h"
#include "longshore/rules.h"
#include "longshore/store.h"
#include "store/execute/transaction.h"
#include "store/sqlite/file/connection.h"
#include "store/sqlite/keys/key_index.h"
#include "store/sqlite/keys/recent_ids.h"
#include "store/sqlite/write/job_table.h"
#include "store/sqlite/write/leases.h"
#include "store/sqlite/write/queue_type_index.h"
#include "store/sqlite/write/side_writes.h"

namespace longshore::sqlite {

// A job in memory.
struct Entry final : execute::Entry {
  Head head;
  QueueType* queue_type = nullptr;
  Home home = Home::none;             // where its row is on disk
  std::optional<JobBody> body;        // present when it is new or small
  std::optional<std::string> result;  // meaningful when result_changed
  bool dirty = false;
  bool rewritten = false;  // what was given at enqueue changed
  bool body_changed = false;
  bool result_changed = false;
  bool touched = false;   // this transaction looked at it
  std::size_t bytes = 0;  // as counted since the last commit

  // Makes it good for another job, which overwrites the head's job whole.
  void recycle();

  Job& job() { return head.job; }
  const Job& job() const override { return head.job; }
  const std::optional<JobError>& error() const override { return head.error; }
};

// How much is kept in memory.
struct MemoryLimits {
  std::size_t lane_window = 1024;              // ready places of one queue_type
  std::size_t all_windows = 64 * 1024;         // of all queue_types
  std::size_t entry_bytes = 64 * 1024 * 1024;  // of jobs between transactions
  std::size_t recent_ids = 64 * 1024;
};

struct InMemory {
  std::size_t jobs = 0;
  std::size_t bytes = 0;   // of those jobs
  std::size_t places = 0;  // of ready jobs
};

// Used by the writer alone.
class SqliteTransaction final : public execute::Transaction {
 public:
  // `rules` must outlive it and is kept up to date.
  SqliteTransaction(Database& database, RulesCopy& rules, const MemoryLimits& limits);

  // Reads from disk what memory holds of it. The database says whether that worked.
  void load();

  // ---- One command -------------------------------------------------------------------------

  // What follows is judged at `now`, and told to `happened`; for prune_by see execute::Transaction.
  void begin_command(Instant now, Instant prune_by, std::vector<JobEvent>& events);
  const Rules& rules() const override { return record_.rules; }
  Instant now() const override { return now_; }

  using execute::Transaction::load;
  Entry* find(const JobId& id) override;
  Entry* find_holder(const execute::JobKeyRef& key, const JobId& otherwise) override;
  Entry* find_by_key(const execute::JobKeyRef& key) override;
  std::optional<KeyView> find_key(const execute::IdempotencyRef& key,
                                  const execute::Binding& otherwise) override;
  void bind_key(const execute::IdempotencyRef& key, const execute::Binding& to) override;
  const JobBody& body(execute::Entry& entry) override;
  Entry& apply(Change&& change) override;

  // claim.cpp
  std::vector<JobId> of_claim(const RequestId& claim) override { return leases_.of_claim(claim); }
  Entry* next_ready(const Claim& claim, const std::string& queue,
                    const execute::Entry* after) override;
  std::int64_t bytes(execute::Entry& entry, bool with_checkpoint) override;
  void fill(Lease& lease, execute::Entry& entry) override;

  // sweeps.cpp
  std::vector<JobId> due(execute::Timetable table, const execute::TimeSpan& span,
                         std::int64_t limit) override;
  std::optional<Instant> earliest(execute::Timetable table, Instant from) override;

  // prune.cpp
  Instant prune_by() override { return prune_by_; }
  std::int64_t prune(std::int64_t limit, Instant until, Instant keys_until) override;
  std::optional<Instant> next_pruning() override;
  std::int64_t forget_keys(std::int64_t limit, Instant until) override;
  std::optional<Instant> next_forgetting() override;

  // observation.cpp
  std::optional<Instant> last_up() override;
  std::vector<JobId> left_behind(const NodeId& node, std::optional<Instant> up) override;
  void start_node(const NodeId& node, const std::string& name) override;
  void see_node(const NodeId& node, const std::string& name) override;
  void see_workers(std::span<const WorkerInfo> workers) override;
  void record_minutes(std::span<const MinuteRow> rows) override;
  void forget_sightings(Instant minutes, Instant workers) override;
  std::int64_t forget_trail(Instant before, std::int64_t limit) override;
  std::int64_t forget_groups(Instant before, std::int64_t limit) override;
  void configure(const Configure& configure) override { queue_types_.configure(configure); }
  RulesRecord rules_record() override { return record_; }
  void set_rules(const RulesRecord& record) override;
  bool set_pause(const std::string& ns, const std::string& queue, bool paused) override;

  // tokens.cpp
  std::optional<TokenRecord> find_token(const std::string& id) override;
  void insert_token(const TokenRecord& token) override;
  void erase_token(const std::string& id) override;
  void touch_token(const std::string& id) override;

  bool is_audited(const RecordAudit& record, Instant since) override;
  void record_audit(const Actor& actor, const std::string& ns, const std::string& action,
                    const std::string& target) override;
  void hint(const std::string& ns, const std::string& queue) override {
    hint(queue_types_.queue(ns, queue));
  }

  QueueTypeIndex& queue_types() { return queue_types_; }
  Leases& leases() { return leases_; }
  Database& database() { return database_; }

  // ---- The transaction ---------------------------------------------------------------------

  // Writes every changed job, so that SQL sees what the commands have done so far.
  void flush();
  // Writes the rest: counts, counters, the time. `time_matters`: somebody was refused by it.
  void finish(const StoreTime::Saved& time, bool time_matters);
  // After a commit: lets go of what is not worth keeping.
  void committed();

  const StoreTime::Saved& saved_time() const { return saved_time_; }  // what is on disk
  // The queues that were hinted at since the last call, as "namespace/queue".
  std::set<std::string> take_hints();
  InMemory in_memory() const {
    return {.jobs = entries_.size(), .bytes = entry_bytes_, .places = queue_types_.places()};
  }

 private:
  struct Counters {
    std::int64_t number = 0;
    std::int64_t order_back = 0;
    std::int64_t order_front = 0;
    std::int64_t audit = 0;
    friend bool operator==(const Counters&, const Counters&) = default;
  };

  Entry& keep(const JobId& id, Found found);
  Entry& make_entry(const JobId& id);
  void drop_entry(const JobId& id);
  void touch(Entry& entry);
  void mark_dirty(Entry& entry);
  void place(Entry& entry, bool is_new, Change& change);
  void write_parts(Entry& entry, Change& change, int attempt_before,
                   std::span<const JobEvent> moves);
  void write(Entry& entry);
  static void written(Entry& entry);
  void hint(QueueState& queue);
  // The body for whoever claimed the job; memory need not keep it.
  JobBody take_body(Entry& entry);
  std::optional<std::string> checkpoint(const Entry& entry);
  Entry* next_old(const Claim& claim, const execute::Entry* after);
  QueueType* best_lane(QueueState& queue, const Claim& claim);
  std::optional<JobId> first_ready(QueueType& queue_type);
  void remove(const JobId& id, Instant keys_until);
  void keep_keys(const Job& job, Instant until);
  bool worth_keeping(const Entry& entry) const;

  Database& database_;
  RulesCopy& rules_;    // as committed
  RulesRecord record_;  // as this transaction sees it
  bool rules_changed_ = false;
  const MemoryLimits limits_;
  QueueTypeIndex queue_types_;
  Leases leases_;
  KeyIndex keys_;
  JobReader reader_;
  JobWriter writer_;
  SideWrites side_writes_;
  Statement save_store_;
  Statement bind_extra_;
  Statement extra_keys_;
  Statement delete_extra_;
  Statement insert_gone_;
  Statement find_gone_;
  Statement next_gone_;
  Statement delete_gone_;

  using Entries = std::unordered_map<JobId, Entry>;
  Entries entries_;
  std::vector<Entries::node_type> spare_entries_;  // empty, for the next jobs
  std::size_t entry_bytes_ = 0;
  RecentIds recent_ids_;
  std::vector<Entry*> touched_;
  std::vector<Entry*> dirty_;
  std::vector<QueueState*> hints_;
  QueueState* visited_ = nullptr;  // by the claim that is being judged
  ReadyPlace passed_;              // where it has been, if it asks for old jobs alone
  Counters counters_;
  Counters saved_counters_;
  StoreTime::Saved saved_time_;
  std::int64_t changes_seen_ = 0;  // by SQLite's own count

  Instant now_;
  Instant prune_by_;
  std::vector<JobEvent>* events_ = nullptr;
};

}  // namespace longshore::sqlite
