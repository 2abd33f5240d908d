#include "store/sqlite/repair/repair.h"

#include "store/sqlite/file/connection.h"
#include "store/sqlite/file/schema.h"
#include "store/sqlite/file/store_lock.h"

namespace longshore {
namespace {

using sqlite::Database;
using sqlite::Statement;

// A statement that mends, and what to say of the rows it changed.
struct Remedy {
  const char* done;
  const char* sql;
};

// A macro, because only literals join up at compile time.
#define LONGSHORE_ALL_JOBS "(SELECT id FROM live UNION ALL SELECT id FROM done)"
constexpr Remedy remedies[] = {
    {"bodies that belong to no job were taken away",
     "DELETE FROM body WHERE id NOT IN " LONGSHORE_ALL_JOBS},
    {"errors that belong to no job were taken away",
     "DELETE FROM failure WHERE id NOT IN " LONGSHORE_ALL_JOBS},
    {"logs that belong to no job were taken away",
     "DELETE FROM log WHERE id NOT IN " LONGSHORE_ALL_JOBS},
    {"checkpoints that no job knows of were taken away",
     "DELETE FROM checkpoint WHERE id NOT IN (SELECT id FROM live WHERE flags & 4 "
     "UNION ALL SELECT id FROM done WHERE flags & 4)"},
    {"live jobs whose checkpoint is lost will begin anew",
     "UPDATE live SET flags = flags & ~4 WHERE flags & 4 AND id NOT IN (SELECT id FROM "
     "checkpoint)"},
    {"ended jobs whose checkpoint is lost no longer claim one",
     "UPDATE done SET flags = flags & ~4 WHERE flags & 4 AND id NOT IN (SELECT id FROM "
     "checkpoint)"},
    {"keys listed for jobs they do not lead to were struck out",
     "DELETE FROM bound_key WHERE (space, key, job) NOT IN (SELECT space, key, job FROM "
     "idempotency)"},
    {"jobs remembered as gone are here, and were struck out",
     "DELETE FROM gone WHERE job IN " LONGSHORE_ALL_JOBS},
    {"jobs remembered as gone have no key left, and were forgotten",
     "DELETE FROM gone WHERE job NOT IN (SELECT job FROM bound_key)"},
    {"count of job numbers was moved on",
     "UPDATE store SET number = (SELECT max(number) FROM (SELECT number FROM live UNION ALL "
     "SELECT number FROM done)) WHERE number < (SELECT max(number) FROM (SELECT number FROM live "
     "UNION ALL SELECT number FROM done))"},
    {"live jobs had their key's type set right",
     "UPDATE live SET kind = (SELECT kind.id FROM kind JOIN lane ON kind.ns = lane.ns AND "
     "kind.type = lane.type WHERE lane.id = live.lane) WHERE job_key IS NOT NULL AND kind IS NOT "
     "(SELECT kind.id FROM kind JOIN lane ON kind.ns = lane.ns AND kind.type = lane.type WHERE "
     "lane.id = live.lane)"},
};
#undef LONGSHORE_ALL_JOBS

// Which counts of a queue_type are made of which state, in the order of the states; a dead job that
// was withdrawn counts as canceled.
constexpr const char* counts[] = {"created", "scheduled", "queued", "running", "waiting",
                                  "retry",   "success",   "dead",   "canceled"};

// One pass over all jobs; compares, so that only what is wrong is written and told.
std::string recount_sql() {
  std::string sums;
  std::string fresh;
  std::string set;
  std::string wrong;
  for (std::size_t state = 0; state < std::size(counts); ++state) {
    const std::string name = counts[state];
    const std::string number = std::to_string(state);
    sums += ", sum(state = " + number + ") AS s" + number;
    fresh += ", ifnull(s" + number + ", 0) AS n" + number;
    set += (state == 0 ? "" : ", ") + name + " = n" + number;
    wrong += (state == 0 ? "" : " OR ") + name + " <> n" + number;
  }
  return "UPDATE lane SET " + set + " FROM (SELECT l.id AS lane_id" + fresh +
         " FROM lane AS l LEFT JOIN (SELECT lane" + sums +
         " FROM (SELECT lane, state FROM live UNION ALL "
         "SELECT lane, iif(state = 7 AND flags & 2, 8, state) FROM done) "
         "GROUP BY lane) AS job ON job.lane = l.id) AS fresh WHERE lane.id = lane_id AND (" +
         wrong + ")";
}

bool is_whole(Database& database) {
  Statement check(database, "PRAGMA integrity_check(1)");
  return check.step() && check.text() == "ok";
}

class Repair {
 public:
  explicit Repair(Database& database) : database_(database) {}

  std::vector<std::string> run() {
    database_.execute("BEGIN IMMEDIATE");
    if (!is_whole(database_) && database_.execute("REINDEX")) {
      done_.emplace_back("the file's indexes were made anew");
    }
    for (const Remedy& remedy : remedies) apply(remedy.done, remedy.sql);
    apply("lanes had their jobs counted anew", recount_sql());
    database_.execute("COMMIT");
    return std::move(done_);
  }

 private:
  void apply(const char* what, const std::string& sql) {
    Statement(database_, sql).run();
    const int changed = database_.failed() ? 0 : sqlite3_changes(database_.handle());
    if (changed > 0) done_.push_back(std::to_string(changed) + " " + what);
  }

  Database& database_;
  std::vector<std::string> done_;
};

}  // namespace

Result<std::vector<std::string>> repair_sqlite(const std::string& path, Clock& clock) {
  const auto held = sqlite::hold(path, true, clock.now());
  if (!held) return held.error();
  auto database = Database::open(path, "", Database::Access::write);
  if (!database) return database.error();
  if (const auto good = sqlite::configure_writer(**database, path); !good) return good.error();
  if (const auto good = sqlite::migrate(**database, path); !good) return good.error();
  std::vector<std::string> done = Repair(**database).run();
  if (!(*database)->failed()) return done;
  return Error{Errc::corrupt, path + " cannot be repaired: " + (*database)->what() +
                                  "; restore a backup, or ask SQLite's own .recover"};
}

}  // namespace longshore
