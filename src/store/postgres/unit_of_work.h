// A UnitOfWork is one transaction's view of the store. What the commands will need is loaded and
// locked before the first is judged; commands find jobs here and apply changes here; what they
// changed is written in a few statements when the transaction ends, or when a question has to be
// asked in SQL. A refused command has changed nothing, so nothing is ever taken back.
//
// The connection remembers the first thing that went wrong. Until somebody looks, finding finds
// nothing and writing writes nothing.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/change.h"
#include "core/mutex.h"
#include "longshore/catalog.h"
#include "longshore/rules.h"
#include "longshore/store.h"
#include "store/postgres/annals.h"
#include "store/postgres/config.h"
#include "store/postgres/entry.h"
#include "store/postgres/keys.h"
#include "store/postgres/limits.h"
#include "store/postgres/shelf.h"
#include "store/postgres/write_back.h"

namespace longshore::postgres {

// What the transactions of one open store share.
struct Shared {
  ConfigCopy config;
  Mutex mutex;
  JobId repair_from LONGSHORE_GUARDED_BY(mutex);  // where the next sweep goes on looking
};

// Used by one thread, for one transaction.
class UnitOfWork {
 public:
  // All must outlive it. `floor`: the store's time is never less.
  UnitOfWork(Connection& connection, const Rules& rules, Shared& shared, Instant floor);

  // ---- The transaction ---------------------------------------------------------------------

  // Begins, and loads what the commands name. prefetch.cpp
  void begin(std::span<const Command> commands);
  // Writes every changed job, so that SQL sees what the commands have done so far.
  void flush();
  // Writes the rest and lines the end of it up; `slot` is where counts are added.
  void line_up_end(int slot);
  bool wrote() const { return wrote_; }
  // A verb wrote something by itself.
  void note_write() { wrote_ = true; }
  // The bodies of leased jobs that are not in memory; a statement to be sent before the end.
  bool line_up_bodies();
  static void fill_bodies(RowSet rows, std::vector<Verdict>& verdicts);

  // ---- One command -------------------------------------------------------------------------

  void begin_command(std::vector<Happened>& happened) { happened_ = &happened; }
  const Rules& rules() const { return rules_; }
  Instant now() const { return now_; }
  const Config& config() const { return *config_; }
  // Makes whoever else configures the store wait, and looks at what it is now.
  void lock_config();
  // What was locked has changed.
  void configured(Config config);

  // Null if there is no such job, or not in this namespace. Good until the transaction ends.
  Entry* find(const JobId& id);
  Entry* find(const std::string& ns, const JobId& id);
  // Loads those that are not here yet, in one exchange.
  void load(std::vector<JobId> ids);
  // The live job that holds the key; if none does, the key is kept for `otherwise`.
  Entry* find_holder(const JobKey& key, const JobId& otherwise);
  // The live job of the key, else the latest one.
  Entry* find_by_key(const JobKey& key);

  // What an idempotency key stands for, with the job's status as it is now; if it stands for
  // nothing, it is kept for `otherwise`.
  std::optional<KeyView> find_key(const IdempotencyKey& key, const BoundKey& otherwise);
  // REQUIRES: the key was kept by find_key.
  void bind_key(const IdempotencyKey& key, const BoundKey& to);
  // Keys may have been pruned; what is known of them is asked again.
  void forget_keys() { keys_.forget_unchanged(); }

  const JobBody& body(Entry& entry);
  // The lease's body and checkpoint are to be read before the transaction ends.
  void want_body(const JobId& id) { wanted_bodies_.push_back(id); }

  // Does what the rules decided, whole: the job, its record's other parts, its logs, counts and
  // indexes. What it spawns is the caller's to enqueue.
  Entry& apply(Change&& change);
  // Removes a finished job and everything that belongs to it.
  void remove(Entry& entry);
  // The tables had lost the place of a queued job.
  void put_back(Entry& entry);
  JobId repair_from();
  void repair_from(const JobId& id);

  void record_audit(const Actor& actor, const std::string& ns, const std::string& action,
                    const std::string& target);
  // The queue may have become worth a claim.
  void hint(const std::string& ns, const std::string& queue) { hints_.insert(ns + "/" + queue); }
  std::set<std::string> take_hints() { return std::move(hints_); }

  Shelf& shelf() { return shelf_; }
  Limits& limits() { return limits_; }
  Connection& connection() { return connection_; }
  // A number that rises, for a job, a place or an entry of the trail.
  std::int64_t next_step();

  // Reads heads, and keeps those that are new here.
  Entry& keep(Head head);
  std::vector<JobId> of_claim(const RequestId& claim) const;

 private:
  void load_config_if(std::int64_t version);
  void take_rows(RowSet rows);
  void place(Entry& entry, Job&& after, Place place, bool moved);
  void write_parts(Entry& entry, Change& change, int attempt_before);
  void mark_dirty(Entry& entry);
  void line_up_dirty();

  Connection& connection_;
  const Rules& rules_;
  Shared& shared_;
  std::shared_ptr<const Config> config_;
  Instant now_;

  std::unordered_map<JobId, std::unique_ptr<Entry>> entries_;
  std::unordered_set<JobId> absent_;
  std::vector<Entry*> dirty_;
  std::vector<JobId> wanted_bodies_;
  std::multimap<RequestId, JobId> claims_;  // what each claim holds, as far as known
  Keys keys_;
  Annals annals_;
  WriteBack write_back_;
  Shelf shelf_;
  Limits limits_;
  std::set<std::string> hints_;
  std::int64_t step_ = 0;
  std::int64_t step_end_ = 0;
  bool wrote_ = false;
  std::vector<Happened>* happened_ = nullptr;
  Column extra_job_{Type::uuid}, extra_ns_{Type::bytes};
  Column extra_platform_{Type::boolean}, extra_key_{Type::bytes};
};

}  // namespace longshore::postgres
