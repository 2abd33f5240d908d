#include "store/postgres/limits.h"

#include "store/postgres/unit_of_work.h"

namespace longshore::postgres {
namespace {

constexpr Sql lock_queues = {
    "SELECT queue FROM @queue_rule WHERE ns = $1 AND max_running IS NOT NULL "
    "ORDER BY queue FOR UPDATE"};
constexpr Sql lock_types = {
    "SELECT type FROM @type_rule WHERE ns = $1 AND max_running IS NOT NULL "
    "ORDER BY type FOR UPDATE"};
constexpr Sql count_queues = {
    "SELECT queue, count(*) FROM @held WHERE running AND ns = $1 GROUP BY queue"};
constexpr Sql count_types = {
    "SELECT type, count(*) FROM @held WHERE running AND ns = $1 GROUP BY type"};

void read_counts(RowSet& rows, const std::string& ns, std::map<Scoped, std::int64_t>& counts) {
  while (rows.next()) {
    Scoped name{.ns = ns, .name = rows.text()};
    counts[std::move(name)] = rows.integer();
  }
}

}  // namespace

bool Limits::queue_is_free(const std::string& ns, const std::string& queue) {
  const QueueRule* rule = work_.config().queue(ns, queue);
  if (rule == nullptr || !rule->max_running) return true;
  lock(ns);
  return by_queue_[{ns, queue}] < *rule->max_running;
}

bool Limits::type_is_free(const std::string& ns, const std::string& type) {
  const TypeRule* rule = work_.config().type(ns, type);
  if (rule == nullptr || !rule->max_running) return true;
  lock(ns);
  return by_type_[{ns, type}] < *rule->max_running;
}

// All rules of the namespace in one order, so that two transactions cannot wait for each other.
// The tables are counted after the locks are held, and after what this transaction did is there.
void Limits::lock(const std::string& ns) {
  if (!locked_.insert(ns).second) return;
  work_.flush();
  for (const Sql* sql : {&lock_queues, &lock_types, &count_queues, &count_types}) {
    Parameters parameters;
    parameters.add(ns);
    connection_.line_up(*sql, std::move(parameters));
  }
  std::vector<RowSet> answers = connection_.exchange();
  if (connection_.trouble()) return;
  read_counts(answers[2], ns, by_queue_);
  read_counts(answers[3], ns, by_type_);
}

void Limits::count(const Job& job, std::int64_t by) {
  if (!locked_.contains(job.ns)) return;
  by_queue_[{job.ns, job.queue}] += by;
  by_type_[{job.ns, job.type}] += by;
}

}  // namespace longshore::postgres
