// What is forgotten, and when. An idempotency key outlives its job and goes on answering how it
// ended; it goes when its own time has come.
#include <algorithm>

#include "core/enqueue.h"
#include "store/postgres/verbs.h"

namespace longshore::postgres {
namespace {

constexpr Duration minutes_kept = Duration::days(8);
constexpr Duration workers_kept = Duration::days(1);

const std::string prunable_text = "SELECT " + head_columns() +
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
constexpr Sql forget_keys = {
    "WITH gone AS MATERIALIZED (SELECT ns, platform, key FROM @idempotency "
    "WHERE gone_after IS NOT NULL AND gone_after <= $1 ORDER BY gone_after LIMIT $2 "
    "FOR UPDATE SKIP LOCKED) DELETE FROM @idempotency AS known USING gone "
    "WHERE known.ns = gone.ns AND known.platform = gone.platform AND known.key = gone.key"};
constexpr Sql forget_minutes = {"DELETE FROM @minute WHERE minute < $1"};
constexpr Sql forget_workers = {"DELETE FROM @worker WHERE seen_at <= $1"};
constexpr Sql next_pruning = {"SELECT min(prune_after) FROM @done WHERE prune_after IS NOT NULL"};
constexpr Sql next_forgetting = {
    "SELECT min(gone_after) FROM @idempotency WHERE gone_after IS NOT NULL"};

Parameters until(Instant at) {
  Parameters parameters;
  parameters.add(at);
  return parameters;
}

std::vector<Entry*> prunable(UnitOfWork& work, std::int64_t limit) {
  work.flush();
  Parameters parameters;
  parameters.add(work.now()).add(limit);
  RowSet rows = work.connection().ask({prunable_text.c_str()}, std::move(parameters));
  std::vector<Entry*> ended;
  while (rows.next()) ended.push_back(&work.keep(read_head(rows, work.rules().policy)));
  return ended;
}

void keep_keys(UnitOfWork& work, const std::vector<Entry*>& ended) {
  Column named(Type::uuid), ns(Type::bytes), platform(Type::boolean), keys(Type::bytes);
  Column named_statuses(Type::integer), ids(Type::uuid), statuses(Type::integer);
  for (const Entry* entry : ended) {
    const Job& job = entry->job();
    const int status = static_cast<int>(status_of(job.state));
    ids.add(job.id);
    statuses.add(status);
    if (job.idempotency_key.empty()) continue;
    named.add(job.id);
    ns.add(job.ns);
    platform.add(is_platform_type(job.type));
    keys.add(job.idempotency_key);
    named_statuses.add(status);
  }
  const Instant gone_after = work.now() + work.rules().key_outlives_job;
  const Column all = ids;
  Parameters by_name = until(gone_after);
  by_name.add(std::move(named)).add(std::move(ns)).add(std::move(platform)).add(std::move(keys));
  by_name.add(std::move(named_statuses));
  Parameters by_list = until(gone_after);
  by_list.add(std::move(ids)).add(std::move(statuses));
  Parameters list;
  list.add(all);
  work.connection().line_up(keep_named_keys, std::move(by_name));
  work.connection().line_up(keep_bound_keys, std::move(by_list));
  work.connection().line_up(delete_bound_keys, std::move(list));
  work.connection().exchange();
}

std::optional<Instant> earliest(UnitOfWork& work, const Sql& sql) {
  RowSet row = work.connection().ask(sql);
  return row.next() ? row.optional_instant() : std::nullopt;
}

}  // namespace

Verdict run(UnitOfWork& work, const Prune& prune) {
  const std::vector<Entry*> ended = prunable(work, prune.limit);
  const std::int64_t count = std::ssize(ended);
  if (count > 0) keep_keys(work, ended);
  for (Entry* entry : ended) work.remove(*entry);
  work.flush();
  Parameters which = until(work.now());
  which.add(prune.limit);
  const std::int64_t keys = work.connection().ask(forget_keys, std::move(which)).affected();
  work.forget_keys();
  if (keys > 0) work.note_write();
  work.connection().ask(forget_minutes, until(work.now() - minutes_kept));
  work.connection().ask(forget_workers, until(work.now() - workers_kept));
  const auto job_next = earliest(work, next_pruning);
  const auto key_next = earliest(work, next_forgetting);
  Swept swept{.count = count,
              .more = count >= prune.limit || keys >= prune.limit,
              .next = job_next ? job_next : key_next};
  if (job_next && key_next) swept.next = std::min(*job_next, *key_next);
  return swept;
}

}  // namespace longshore::postgres
