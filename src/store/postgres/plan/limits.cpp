#include "store/postgres/plan/limits.h"

#include "store/postgres/write/transaction.h"

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

void read_into(RowSet& rows, const std::string& ns, std::map<Scoped, std::int64_t>& counts) {
  while (rows.next()) {
    Scoped name{.ns = ns, .name = rows.text()};
    counts[std::move(name)] = rows.integer();
  }
}

Parameters of(const std::string& ns) {
  Parameters parameters;
  parameters.add(ns);
  return parameters;
}

}  // namespace

void Limits::enqueue_counts(const std::string& ns) {
  connection_.enqueue_statement(count_queues, of(ns));
  connection_.enqueue_statement(count_types, of(ns));
}

std::size_t Limits::read_counts(const std::string& ns, std::vector<RowSet>& answers,
                                std::size_t first) {
  read_into(answers[first++], ns, by_queue_);
  read_into(answers[first++], ns, by_type_);
  return first;
}

void Limits::enqueue_statement(const std::set<std::string>& namespaces) {
  for (const std::string& ns : namespaces) enqueue_counts(ns);
  counted_ = namespaces;
}

std::size_t Limits::read(std::vector<RowSet>& answers, std::size_t first) {
  for (const std::string& ns : counted_) first = read_counts(ns, answers, first);
  return first;
}

bool Limits::queue_is_full(const std::string& ns, const std::string& queue) {
  const QueueRule* rule = work_.config().queue(ns, queue);
  if (rule == nullptr || !rule->max_running) return false;
  if (!counted_.contains(ns)) lock(ns);
  return by_queue_[{ns, queue}] >= *rule->max_running;
}

std::vector<std::string> Limits::full_types(const std::string& ns) {
  std::vector<std::string> full;
  if (!work_.config().limits_types(ns)) return full;
  if (!counted_.contains(ns)) lock(ns);
  for (const auto& [name, rule] : work_.config().types) {
    if (name.ns == ns && rule.max_running && by_type_[name] >= *rule.max_running) {
      full.push_back(name.name);
    }
  }
  return full;
}

bool Limits::admits(const Job& job) {
  if (!work_.config().is_limited(job)) return true;
  lock(job.ns);
  const TypeRule* rule = work_.config().type(job.ns, job.type);
  const bool type_is_full =
      rule != nullptr && rule->max_running && by_type_[{job.ns, job.type}] >= *rule->max_running;
  return !type_is_full && !queue_is_full(job.ns, job.queue);
}

// All rules of the namespace in one order, so that two transactions cannot wait for each other.
// The tables are counted after the locks are held, and after what this transaction did is there.
void Limits::lock(const std::string& ns) {
  if (!locked_.insert(ns).second) return;
  work_.flush();
  forget(ns);
  counted_.insert(ns);
  connection_.enqueue_statement(lock_queues, of(ns));
  connection_.enqueue_statement(lock_types, of(ns));
  enqueue_counts(ns);
  std::vector<RowSet> answers = connection_.exchange();
  if (!connection_.trouble()) read_counts(ns, answers, 2);
}

void Limits::forget(const std::string& ns) {
  const auto is_of_it = [&](const auto& counted) { return counted.first.ns == ns; };
  std::erase_if(by_queue_, is_of_it);
  std::erase_if(by_type_, is_of_it);
}

void Limits::count(const Job& job, std::int64_t by) {
  if (!counted_.contains(job.ns)) return;
  by_queue_[{job.ns, job.queue}] += by;
  by_type_[{job.ns, job.type}] += by;
}

}  // namespace longshore::postgres
