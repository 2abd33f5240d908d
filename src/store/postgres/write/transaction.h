// A PostgresTransaction is one transaction's view of the store. What the commands will need is
// loaded and locked before the first is judged; commands find jobs here and apply changes here;
// what they changed is written in a few statements when the transaction ends, or when a question
// has to be asked in SQL. A refused command has changed nothing, so nothing is ever taken back.
//
// The connection remembers the first thing that went wrong. Until somebody looks, finding finds
// nothing and writing writes nothing.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/rules/change.h"
#include "core/sync/mutex.h"
#include "core/time/server_time.h"
#include "core/time/store_time.h"
#include "longshore/catalog.h"
#include "longshore/store.h"
#include "store/execute/transaction.h"
#include "store/postgres/connection/write_connection.h"
#include "store/postgres/plan/cached_jobs.h"
#include "store/postgres/plan/limits.h"
#include "store/postgres/plan/optimistic_claim.h"
#include "store/postgres/plan/ready_candidates.h"
#include "store/postgres/write/config.h"
#include "store/postgres/write/entry.h"
#include "store/postgres/write/keys.h"
#include "store/postgres/write/side_writes.h"
#include "store/postgres/write/write_back.h"

namespace longshore::postgres {

// What the transactions of one open store share.
struct Shared {
  Shared(std::function<std::int64_t()> steady_clock, std::shared_ptr<const RulesRecord> rules,
         const StoreTime::Saved& saved)
      : steady(std::move(steady_clock)),
        opened(std::move(rules)),
        config(opened),
        time(saved),
        step_written(saved.stepped_at.value_or(Instant())) {}

  Duration steady_now() const { return Duration::millis(steady() / 1000); }
  // The server has just answered that it has this time.
  void heard(std::int64_t micros, std::int64_t asked_at) {
    server_time.heard("", micros, asked_at, steady());
    time.heard({.said = Instant::millis(micros / 1000),
                .asked = Duration::millis(asked_at / 1000),
                .answered = steady_now()});
  }

  const std::function<std::int64_t()> steady;  // by which the server's time is carried forward
  // As found on opening: good for what never changes.
  const std::shared_ptr<const RulesRecord> opened;
  ConfigCopy config;
  CachedJobs cached_jobs;
  ServerTime server_time;
  StoreTime time;
  std::atomic<Instant> step_written;  // the last step forward that is in the database
  Mutex mutex;
  JobId repair_from LONGSHORE_GUARDED_BY(mutex);  // where the next sweep goes on looking
};

// What a transaction may take for granted. Where that turns out to be wrong, its end fails with
// StickyError::Kind::again, and it has to be tried with less trust.
struct Trust {
  bool as_known = true;  // ids of new jobs are new, and running jobs as this node remembers them
  bool plain = true;     // what claims find is plain; see outright.h
};

// Used by one thread, for one transaction.
class PostgresTransaction final : public execute::Transaction {
 public:
  // All must outlive it. `floor`: the store's time is never less.
  PostgresTransaction(Connection& connection, Shared& shared, Instant floor);

  // ---- The transaction ---------------------------------------------------------------------

  // Begins, and loads what the commands name and may not be taken for granted. prefetch.cpp
  void begin(std::span<const Command> commands, Trust trust);
  // Whether claims are served by the last exchange and have to be judged after it; those it may
  // serve are told to it. claim.cpp
  bool defers_claims() const { return optimistic_claim_.has_value(); }
  void defer(const Claim& claim) { optimistic_claim_->add(claim); }
  // Writes every changed job, so that SQL sees what the commands have done so far.
  void flush();
  // Lines up one statement that is the whole transaction, if there is one; else false, and
  // enqueue_end() is to be asked. ending.cpp
  bool enqueue_single_statement(WriteConnection& writer);
  // Writes the rest and lines the end of it up; `slot` is where counts are added.
  void enqueue_end(int slot);
  // The jobs, once that is sent and nobody asks for them any more.
  void let_go();
  Wrote wrote() const;
  // After the exchange of a transaction that was one statement: whether it said that it commits.
  bool counted(const std::vector<RowSet>& answers) const;
  // After the last exchange: what time it is, if that was told.
  void hear(std::vector<RowSet>& answers);
  // After the last exchange: this node knows first what it configured.
  void publish_config();
  // After the last exchange: the jobs of claims that were deferred are there to be judged.
  // claim.cpp
  void read_served(std::vector<RowSet>& answers);
  // After the last exchange: gives leases their bodies, and remembers jobs that were started.
  // claim.cpp
  void hand_out(std::vector<RowSet>& answers, std::vector<Verdict>& verdicts);

  // ---- One command -------------------------------------------------------------------------

  void begin_command(std::vector<JobEvent>& events) { events_ = &events; }
  const Rules& rules() const override { return config_->rules->rules; }
  // The policy that rows leave out.
  const Policy& usual() const { return shared_.opened->usual; }
  Instant now() const override { return now_; }
  const Config& config() const { return *config_; }

  void load(std::span<const JobId> ids) override;
  Entry* find(const JobId& id) override;
  Entry* find_holder(const execute::JobKeyRef& key, const JobId& otherwise) override;
  Entry* find_by_key(const execute::JobKeyRef& key) override;
  std::optional<KeyView> find_key(const execute::IdempotencyRef& key,
                                  const execute::Binding& otherwise) override;
  void bind_key(const execute::IdempotencyRef& key, const execute::Binding& to) override;
  const JobBody& body(execute::Entry& entry) override;
  Entry& apply(Change&& change) override;

  // claim.cpp
  std::vector<JobId> of_claim(const RequestId& claim) override;
  bool recollect(const RequestId& claim) override;
  Entry* next_ready(const Claim& claim, const std::string& queue,
                    const execute::Entry* after) override;
  std::int64_t bytes(execute::Entry& entry, bool with_checkpoint) override;
  void fill(Lease& lease, execute::Entry& entry) override;

  // sweeps.cpp
  std::vector<JobId> due(execute::Timetable table, const execute::TimeSpan& span,
                         std::int64_t limit) override;
  std::optional<Instant> earliest(execute::Timetable table, Instant from) override;
  // repair.cpp
  std::vector<JobId> lost(std::int64_t limit) override;
  void put_back(execute::Entry& entry) override;

  // prune.cpp
  Instant prune_by() override;
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
  void configure(const Configure& configure) override;
  RulesRecord rules_record() override;
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
  void hint(const std::string& ns, const std::string& queue) override;
  bool is_limited(const Job& job) override { return config_->is_limited(job); }
  std::set<std::string> take_hints() { return std::move(hints_); }

  Connection& connection() { return connection_; }
  // For a job that is about to be read; null if it is here already.
  Entry* room_for(const JobId& id);
  // Its head and places are there now.
  void settle_in(Entry& entry);
  // A head that was read; what is here already stays as it is.
  Entry& keep(Head head, std::optional<RowPlace> place = std::nullopt);
  // Keeps each row of "SELECT <head>, ctid FROM live", and says which.
  std::vector<JobId> keep_all(RowSet rows);

 private:
  // Of ids, locking them in their order.
  static const Sql& load_live();
  static const Sql& load_done();
  void take_for_absent(std::span<const JobId> ids);
  // Whether nothing need be asked before the commands are judged: the time is carried forward, and
  // proved with what they write. Numbers are there for new jobs alone.
  bool carry_on(bool brings_jobs);
  // Whether all of these are remembered, and now here.
  bool recall(std::span<const JobId> ids, bool may);
  // Of claims: claim, job, which of the claim's it is. claim.cpp
  static const Sql& held_by_claims();
  void keep_held(RowSet& rows);
  // Its claim holds one more.
  void give(Entry& entry);
  void renumber(const RequestId& claim);
  // The bodies of leased jobs that no start will answer.
  void enqueue_bodies();
  void read_started(std::vector<RowSet>& answers);
  bool is_absent(const JobId& id) const;
  // A number that rises, for a job, a place or an entry of the trail.
  std::int64_t next_step();
  // For a new job. If the time was carried on, it counts from a number that is known in the end.
  std::int64_t next_step_of_new();
  // Something was asked for that could not be known to be needed. It will be asked from the start.
  void begin_anew();
  // Makes whoever else configures the store wait, and looks at what it is now.
  void lock_config();
  // What was locked has changed.
  void configured(Config config);
  // Removes a finished job and everything that belongs to it.
  void remove(Entry& entry);
  void keep_keys(const std::vector<Entry*>& ended, Instant until);
  void see(const Sql& sql, const NodeId& node, const std::string& name);
  std::int64_t forget(const Sql& sql, Instant before, std::int64_t limit);
  void load_config_if(std::int64_t version);
  void place(Entry& entry, Job&& after, Place place, bool moved);
  void write_parts(Entry& entry, Change& change, int attempt_before);
  void append_history(Lines& history, const std::vector<Transition>& moves);
  // Brings the part of the history that is in the tables.
  void complete_history(Entry& entry);
  void mark_dirty(Entry& entry);
  // Hands what changed over to be written.
  void gather_dirty();
  void enqueue_dirty();

  Connection& connection_;
  Shared& shared_;
  std::shared_ptr<const Config> config_;
  std::optional<std::int64_t> renewed_config_;  // the version that this transaction gave it
  Instant now_;

  Entries entries_;
  std::size_t remembered_ = 0;  // how many of these were
  std::unordered_set<JobId> absent_;
  std::vector<JobId> fresh_;  // in order: those of new jobs, absent until they are entries
  std::vector<Entry*> dirty_;
  std::vector<JobId> wanted_bodies_;
  bool wants_checkpoints_ = false;        // of one of those
  std::optional<std::size_t> bodies_at_;  // among the last answers
  std::vector<RowSet> started_;           // with bodies, too
  struct Given {
    JobId job;
    std::int64_t nth = 0;
  };
  std::multimap<RequestId, Given> claims_;  // what each claim holds, as far as known, in order
  std::vector<RequestId> new_claims_;       // taken for claims that hold nothing
  std::optional<RequestId> given_before_;   // the claim that was asked for, if it was given jobs
  Keys keys_;
  SideWrites side_writes_;
  WriteBack write_back_;
  ReadyCandidates candidates_;
  Limits limits_;
  std::optional<OptimisticClaim> optimistic_claim_;
  std::optional<std::size_t> served_at_;  // among the last answers
  std::set<std::string> hints_;
  Scoped hinted_;                       // the last one
  std::vector<Transition> last_moves_;  // of most jobs of a batch they are the same
  Lines last_lines_;                    // as the history has them
  std::int64_t step_ = 0;
  std::int64_t step_end_ = 0;
  std::optional<std::size_t> moment_at_;  // among the first answers, if the time was carried on
  Instant carried_;                       // that time
  bool counted_always_ = false;           // by a statement that is the whole transaction
  bool hears_ = false;                    // and the first answers are the last ones
  std::int64_t asked_at_ = 0;             // those
  bool wrote_ = false;
  std::vector<JobEvent>* events_ = nullptr;
  Column extra_job_{Type::uuid}, extra_ns_{Type::bytes};
  Column extra_platform_{Type::boolean}, extra_key_{Type::bytes};
};

}  // namespace longshore::postgres
