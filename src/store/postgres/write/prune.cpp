// What is forgotten, and when. An idempotency key outlives its job and goes on answering how it
// ended; it goes when its own time has come.
#include <utility>

#include "core/rules/enqueue.h"
#include "store/postgres/write/transaction.h"

namespace longshore::postgres {
namespace {

const std::string prunable_text = "SELECT " + head_values("done") +
                                  " FROM @done WHERE prune_after IS NOT NULL AND prune_after <= $1 "
                                  "ORDER BY prune_after, id LIMIT $2 FOR UPDATE SKIP LOCKED";
constexpr Sql keep_named_keys = {
    "UPDATE @idempotency AS known SET status = ended.status, gone_after = $1 "
    "FROM unnest($2::uuid[], $3::bytea[], $4::boolean[], $5::bytea[], $6::bigint[]) "
    "AS ended(job, ns, platform, key, status) WHERE known.ns = ended.ns AND "
    "known.platform = ended.platform AND known.key = ended.key AND known.job = ended.job"};
constexpr Sql keep_bound_keys = {
    "UPDATE @idempotency AS known SET status = ended.status, gone_after = $1 "
    "FROM unnest($2::uuid[], $3::bigint[]) AS ended(job, status) JOIN @bound_key AS bound "
    "ON bound.job = ended.job WHERE known.ns = bound.ns AND known.platform = bound.platform AND "
    "known.key = bound.key AND known.job = bound.job"};
constexpr Sql delete_bound_keys = {"DELETE FROM @bound_key WHERE job = ANY($1)"};
constexpr Sql forget_keys_text = {
    "WITH gone AS MATERIALIZED (SELECT ns, platform, key FROM @idempotency "
    "WHERE gone_after IS NOT NULL AND gone_after <= $1 ORDER BY gone_after LIMIT $2 "
    "FOR UPDATE SKIP LOCKED) DELETE FROM @idempotency AS known USING gone "
    "WHERE known.ns = gone.ns AND known.platform = gone.platform AND known.key = gone.key"};
constexpr Sql step_seen = {"SELECT stepped_at FROM @store"};
constexpr Sql first_pruning = {"SELECT min(prune_after) FROM @done WHERE prune_after IS NOT NULL"};
constexpr Sql first_forgetting = {
    "SELECT min(gone_after) FROM @idempotency WHERE gone_after IS NOT NULL"};

Parameters at(Instant when) {
  Parameters parameters;
  parameters.add(when);
  return parameters;
}

std::optional<Instant> first_of(Connection& connection, const Sql& sql) {
  RowSet row = connection.ask(sql);
  return row.next() ? row.optional_instant() : std::nullopt;
}

}  // namespace

void PostgresTransaction::keep_keys(const std::vector<Entry*>& ended, Instant until) {
  Column named(Type::uuid), ns(Type::bytes), platform(Type::boolean), keys(Type::bytes);
  Column named_statuses(Type::integer), ids(Type::uuid), statuses(Type::integer);
  for (const Entry* entry : ended) {
    const Job& job = entry->job();
    const int status = static_cast<int>(status_of(job));
    ids.add(job.id);
    statuses.add(status);
    if (job.idempotency_key.empty()) continue;
    named.add(job.id);
    ns.add(job.ns);
    platform.add(is_platform_type(job.type));
    keys.add(job.idempotency_key);
    named_statuses.add(status);
  }
  const Column all = ids;
  Parameters by_name = at(until);
  by_name.add(std::move(named)).add(std::move(ns)).add(std::move(platform)).add(std::move(keys));
  by_name.add(std::move(named_statuses));
  Parameters by_list = at(until);
  by_list.add(std::move(ids)).add(std::move(statuses));
  Parameters list;
  list.add(all);
  connection_.enqueue_statement(keep_named_keys, std::move(by_name));
  connection_.enqueue_statement(keep_bound_keys, std::move(by_list));
  connection_.enqueue_statement(delete_bound_keys, std::move(list));
  connection_.exchange();
}

// A step that another node saw counts, too.
Instant PostgresTransaction::prune_by() {
  RowSet row = connection_.ask(step_seen);
  const Instant own = shared_.time.stepped_at().value_or(Instant());
  if (row.next() && own == shared_.step_written.load()) {
    const std::optional<Instant> seen = row.optional_instant();
    shared_.time.learn_step(seen);
    shared_.step_written = seen.value_or(own);
  }
  const Instant by = shared_.time.prune_by();
  // The store's time may be later than any that was told.
  return by == shared_.time.highest() ? now_ : by;
}

std::int64_t PostgresTransaction::prune(std::int64_t limit, Instant until, Instant keys_until) {
  flush();
  Parameters which = at(until);
  which.add(limit);
  RowSet rows = connection_.ask({prunable_text.c_str()}, std::move(which));
  std::vector<Entry*> ended;
  while (rows.next()) ended.push_back(&keep(read_head(rows, usual())));
  if (!ended.empty()) keep_keys(ended, keys_until);
  for (Entry* entry : ended) remove(*entry);
  flush();
  return std::ssize(ended);
}

std::optional<Instant> PostgresTransaction::next_pruning() {
  return first_of(connection_, first_pruning);
}

std::int64_t PostgresTransaction::forget_keys(std::int64_t limit, Instant until) {
  Parameters which = at(until);
  which.add(limit);
  const std::int64_t count = connection_.ask(forget_keys_text, std::move(which)).affected();
  keys_.forget_unchanged();
  if (count > 0) wrote_ = true;
  return count;
}

std::optional<Instant> PostgresTransaction::next_forgetting() {
  return first_of(connection_, first_forgetting);
}

}  // namespace longshore::postgres
