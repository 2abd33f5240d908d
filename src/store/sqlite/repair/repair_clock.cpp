#include <algorithm>

#include "core/record/history_text.h"
#include "core/text/time_text.h"
#include "store/sqlite/file/connection.h"
#include "store/sqlite/file/schema.h"
#include "store/sqlite/file/store_lock.h"
#include "store/sqlite/repair/repair.h"

namespace longshore {
namespace {

using sqlite::Database;
using sqlite::Statement;

// ?1 is the time now, ?2 by how much the store was ahead, ?3 how long a key outlives its job.
struct ClockRemedy {
  const char* done;  // null: it goes without saying
  const char* sql;
};

constexpr ClockRemedy clock_remedies[] = {
    // A lease may not be longer than its owner asked for.
    {"running jobs have a lease of their usual length again",
     "UPDATE live SET lease_expires_at = ?1 + lease, heartbeat_due_at = min(heartbeat_due_at, "
     "?1 + lease), deadline_at = max(?1 + lease, deadline_at - (lease_expires_at - ?1 - lease)) "
     "WHERE state = 3 AND lease_expires_at > ?1 + lease AND ?2 > 0"},
    {"jobs that wait for a reply have their deadline moved back",
     "UPDATE live SET deadline_at = max(?1, deadline_at - ?2) WHERE state = 4 AND updated_at > ?1"},
    {"jobs that wait for their time or their back-off have it moved back",
     "UPDATE live SET run_at = max(?1, run_at - ?2) WHERE state IN (1, 5) AND updated_at > ?1 AND "
     "run_at > ?1"},
    {"finished jobs have the end of their retention moved back",
     "UPDATE done SET prune_after = prune_after - ?2 WHERE updated_at > ?1 AND prune_after IS NOT "
     "NULL"},
    {"keys of pruned jobs are kept no longer than usual",
     "UPDATE gone SET gone_after = ?1 + ?3 WHERE gone_after > ?1 + ?3 AND ?2 > 0"},
    {"errors happened now at the latest", "UPDATE failure SET at = ?1 WHERE at > ?1 AND ?2 > 0"},
    {"unfinished jobs were changed now at the latest",
     "UPDATE live SET created_at = min(created_at, ?1), updated_at = ?1, first_started_at = "
     "min(first_started_at, ?1), started_at = min(started_at, ?1) WHERE updated_at > ?1 AND ?2 > "
     "0"},
    {"finished jobs ended now at the latest",
     "UPDATE done SET created_at = min(created_at, ?1), updated_at = ?1, first_started_at = "
     "min(first_started_at, ?1), started_at = min(started_at, ?1), completed_at = "
     "min(completed_at, ?1) WHERE updated_at > ?1 AND ?2 > 0"},
    {"minutes of figures that lay ahead were taken away",
     "DELETE FROM minute WHERE minute > ?1 AND ?2 > 0"},
    {nullptr,
     "UPDATE error_group SET first_at = min(first_at, ?1), last_at = ?1 WHERE last_at > ?1"
     " AND ?2 > 0"},
    {nullptr, "UPDATE audit SET at = ?1 WHERE at > ?1 AND ?2 > 0"},
    {nullptr, "UPDATE worker SET seen_at = ?1 WHERE seen_at > ?1 AND ?2 > 0"},
    {nullptr,
     "UPDATE node SET seen_at = ?1, started_at = min(started_at, ?1) WHERE seen_at > ?1 "
     "AND ?2 > 0"},
    {nullptr,
     "UPDATE token SET created_at = min(created_at, ?1), last_used_at = "
     "min(last_used_at, ?1) WHERE ?2 > 0"},
    {nullptr, "UPDATE store SET highest_at = ?1, stepped_at = NULL WHERE ?2 > 0"},
};

class ClockRepair {
 public:
  ClockRepair(Database& database, Instant now) : database_(database), now_(now) {}

  std::vector<std::string> run(Duration keys_kept) {
    database_.execute("BEGIN IMMEDIATE");
    const Instant highest = store_time();
    const Duration ahead = highest - now_;
    if (ahead > Duration()) {
      done_.push_back("the store's time was set back from " + to_text(highest) + " to " +
                      to_text(now_));
      // Before the times that say which jobs they are.
      for (const char* table : {"live", "done"}) mend_histories(table);
      for (const ClockRemedy& remedy : clock_remedies) apply(remedy, ahead, keys_kept);
    }
    database_.execute("COMMIT");
    return std::move(done_);
  }

 private:
  Instant store_time() {
    Statement row(database_, "SELECT highest_at FROM store");
    return row.step() ? row.instant() : Instant();
  }

  void apply(const ClockRemedy& remedy, Duration ahead, Duration keys_kept) {
    Statement statement(database_, remedy.sql);
    statement.begin();
    statement.bind(now_);
    statement.bind(ahead);
    if (std::string_view(remedy.sql).find("?3") != std::string_view::npos) {
      statement.bind(keys_kept);
    }
    statement.finish();
    const auto changed = database_.failed() ? 0 : database_.changes();
    if (changed > 0 && remedy.done != nullptr) {
      done_.push_back(std::to_string(changed) + " " + remedy.done);
    }
  }

  // A history that does not parse is left for the audit to find.
  void mend_histories(const std::string& table) {
    std::vector<std::pair<JobId, std::string>> mended;
    Statement rows(database_, "SELECT id, history FROM " + table + " WHERE updated_at > ?");
    rows.begin();
    rows.bind(now_);
    while (rows.step()) {
      const auto id = rows.id<JobId>();
      auto history = parse_history(rows.text());
      if (!history) continue;
      std::string text;
      for (Transition& move : *history) {
        move.at = std::min(move.at, now_);
        append_transition(text, move);
      }
      mended.emplace_back(id, std::move(text));
    }
    Statement update(database_, "UPDATE " + table + " SET history = ? WHERE id = ?");
    for (const auto& [id, text] : mended) update.run(text, id);
  }

  Database& database_;
  const Instant now_;
  std::vector<std::string> done_;
};

}  // namespace

Result<std::vector<std::string>> repair_clock_sqlite(const std::string& path, Clock& clock,
                                                     Duration keys_kept) {
  const Instant now = clock.now();
  const auto held = sqlite::hold(path, true, now);
  if (!held) return held.error();
  auto database = Database::open(path, "", Database::Access::write);
  if (!database) return database.error();
  if (const auto good = sqlite::configure_writer(**database, path); !good) return good.error();
  if (const auto good = sqlite::migrate(**database, path); !good) return good.error();
  std::vector<std::string> done = ClockRepair(**database, now).run(keys_kept);
  if (!(*database)->failed()) return done;
  return Error{Errc::corrupt, path + ": the clock cannot be repaired: " + (*database)->what() +
                                  "; restore a backup"};
}

}  // namespace longshore
