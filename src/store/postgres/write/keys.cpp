#include "store/postgres/write/keys.h"

#include <set>
#include <utility>

namespace longshore::postgres {
namespace {

constexpr Sql take_idempotency = {
    "INSERT INTO @idempotency(ns, platform, key, job, body_hash) "
    "SELECT * FROM unnest($1::bytea[], $2::boolean[], $3::bytea[], $4::uuid[], $5::bigint[]) "
    "ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING RETURNING ns, platform, key"};
constexpr Sql look_idempotency = {
    "SELECT known.ns, known.platform, known.key, known.job, known.body_hash, known.status "
    "FROM unnest($1::bytea[], $2::boolean[], $3::bytea[]) AS wanted(ns, platform, key) "
    "JOIN @idempotency AS known USING (ns, platform, key)"};
constexpr Sql move_idempotency = {
    "UPDATE @idempotency AS known SET job = new.job, body_hash = new.body_hash "
    "FROM unnest($1::bytea[], $2::boolean[], $3::bytea[], $4::uuid[], $5::bigint[]) "
    "AS new(ns, platform, key, job, body_hash) "
    "WHERE known.ns = new.ns AND known.platform = new.platform AND known.key = new.key"};
constexpr Sql drop_idempotency = {
    "DELETE FROM @idempotency AS known "
    "USING unnest($1::bytea[], $2::boolean[], $3::bytea[]) AS old(ns, platform, key) "
    "WHERE known.ns = old.ns AND known.platform = old.platform AND known.key = old.key"};

constexpr Sql take_job_key = {
    "INSERT INTO @live_key(ns, type, key, job) "
    "SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bytea[], $4::uuid[]) "
    "ORDER BY 1, 2, 3 ON CONFLICT DO NOTHING RETURNING ns, type, key"};
constexpr Sql look_job_key = {
    "SELECT known.ns, known.type, known.key, known.job "
    "FROM unnest($1::bytea[], $2::bytea[], $3::bytea[]) AS wanted(ns, type, key) "
    "JOIN @live_key AS known USING (ns, type, key)"};
constexpr Sql insert_job_key = {
    "INSERT INTO @live_key(ns, type, key, job) "
    "SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bytea[], $4::uuid[]) ORDER BY 1, 2, 3"};
constexpr Sql move_job_key = {
    "UPDATE @live_key AS known SET job = new.job "
    "FROM unnest($1::bytea[], $2::bytea[], $3::bytea[], $4::uuid[]) AS new(ns, type, key, job) "
    "WHERE known.ns = new.ns AND known.type = new.type AND known.key = new.key"};
constexpr Sql drop_job_key = {
    "DELETE FROM @live_key WHERE ns = $1 AND type = $2 AND key = ANY($3)"};

constexpr Sql time_now = {"SELECT @store_time()"};

// How often a key may change hands between taking it and looking who has it.
constexpr int patience = 10;

StickyError changing_hands() {
  return {.kind = StickyError::Kind::again, .message = "a key keeps changing hands"};
}

// Keys on their way into a statement, with or without what they lead to.
class IdempotencyRows {
 public:
  void add(const IdempotencyKey& key) {
    ns_.add(key.ns);
    platform_.add(key.platform);
    key_.add(key.key);
  }
  void add(const IdempotencyKey& key, const BoundKey& to) {
    add(key);
    job_.add(to.job);
    hash_.add(static_cast<std::int64_t>(to.body_hash));
  }
  bool empty() const { return key_.empty(); }
  Parameters take(bool with_target) {
    Parameters parameters;
    parameters.add(std::move(ns_)).add(std::move(platform_)).add(std::move(key_));
    if (with_target) parameters.add(std::move(job_)).add(std::move(hash_));
    return parameters;
  }

 private:
  Column ns_{Type::bytes}, platform_{Type::boolean}, key_{Type::bytes};
  Column job_{Type::uuid}, hash_{Type::integer};
};

class JobKeyRows {
 public:
  void add(const JobKey& key) {
    ns_.add(key.ns);
    type_.add(key.type);
    key_.add(key.key);
  }
  void add(const JobKey& key, const JobId& job) {
    add(key);
    job_.add(job);
  }
  bool empty() const { return key_.empty(); }
  Parameters take(bool with_job) {
    Parameters parameters;
    parameters.add(std::move(ns_)).add(std::move(type_)).add(std::move(key_));
    if (with_job) parameters.add(std::move(job_));
    return parameters;
  }

 private:
  Column ns_{Type::bytes}, type_{Type::bytes}, key_{Type::bytes}, job_{Type::uuid};
};

IdempotencyKey read_idempotency_key(RowSet& row) {
  IdempotencyKey key;
  key.ns = row.text();
  key.platform = row.boolean();
  key.key = row.text();
  return key;
}

JobKey read_job_key(RowSet& row) {
  JobKey key;
  key.ns = row.text();
  key.type = row.text();
  key.key = row.text();
  return key;
}

}  // namespace

void Keys::enqueue_taking(const std::map<IdempotencyKey, BoundKey>& wanted) {
  IdempotencyRows rows;
  for (const auto& [key, to] : wanted) rows.add(key, to);
  connection_.enqueue_statement(take_idempotency, rows.take(true));
}

void Keys::enqueue_taking(const std::map<JobKey, JobId>& wanted) {
  JobKeyRows rows;
  for (const auto& [key, job] : wanted) rows.add(key, job);
  connection_.enqueue_statement(take_job_key, rows.take(true));
}

void Keys::taken_idempotency_keys(RowSet won, const std::map<IdempotencyKey, BoundKey>& wanted) {
  while (won.next()) {
    const IdempotencyKey key = read_idempotency_key(won);
    idempotency_[key] = {.stored = wanted.at(key), .now = std::nullopt};
  }
  IdempotencyRows lost;
  for (const auto& [key, to] : wanted) {
    if (!idempotency_.contains(key)) lost.add(key);
  }
  if (lost.empty()) return;
  RowSet known = connection_.ask(look_idempotency, lost.take(false));
  while (known.next()) {
    const IdempotencyKey key = read_idempotency_key(known);
    BoundKey bound{.job = known.id<JobId>()};
    bound.body_hash = static_cast<std::uint64_t>(known.integer());
    bound.last_status = static_cast<Status>(known.optional_small().value_or(0));
    idempotency_[key] = {.stored = bound, .now = bound};
  }
}

void Keys::taken_job_keys(RowSet won, const std::map<JobKey, JobId>& wanted) {
  while (won.next()) {
    const JobKey key = read_job_key(won);
    job_keys_[key] = {.stored = wanted.at(key), .now = std::nullopt};
  }
  JobKeyRows lost;
  for (const auto& [key, job] : wanted) {
    if (!job_keys_.contains(key)) lost.add(key);
  }
  if (lost.empty()) return;
  RowSet known = connection_.ask(look_job_key, lost.take(false));
  while (known.next()) {
    const JobKey key = read_job_key(known);
    const JobId job = known.id<JobId>();
    job_keys_[key] = {.stored = job, .now = job};
  }
}

std::optional<BoundKey> Keys::find(const IdempotencyKey& key, const BoundKey& otherwise) {
  for (int i = 0; i < patience && !connection_.trouble(); ++i) {
    const auto known = idempotency_.find(key);
    if (known != idempotency_.end()) return known->second.now;
    const std::map<IdempotencyKey, BoundKey> wanted = {{key, otherwise}};
    enqueue_taking(wanted);
    std::vector<RowSet> answers = connection_.exchange();
    if (!answers.empty()) taken_idempotency_keys(std::move(answers.back()), wanted);
  }
  connection_.give_up(changing_hands());
  return std::nullopt;
}

std::optional<JobId> Keys::find(const JobKey& key, const JobId& otherwise) {
  for (int i = 0; i < patience && !connection_.trouble(); ++i) {
    const auto known = job_keys_.find(key);
    if (known != job_keys_.end()) return known->second.now;
    const std::map<JobKey, JobId> wanted = {{key, otherwise}};
    enqueue_taking(wanted);
    const std::size_t time_at = connection_.enqueue_statement(time_now);
    std::vector<RowSet> answers = connection_.exchange();
    if (answers[time_at].next()) key_asked_at_ = answers[time_at].instant();
    taken_job_keys(std::move(answers[time_at - 1]), wanted);
  }
  connection_.give_up(changing_hands());
  return std::nullopt;
}

std::optional<JobId> Keys::look(const JobKey& key) {
  const auto known = job_keys_.find(key);
  if (known != job_keys_.end()) return known->second.now;
  JobKeyRows wanted;
  wanted.add(key);
  RowSet row = connection_.ask(look_job_key, wanted.take(false));
  if (!row.next()) return std::nullopt;
  read_job_key(row);
  const JobId job = row.id<JobId>();
  job_keys_[key] = {.stored = job, .now = job};
  return job;
}

void Keys::release(const JobKey& key, const JobId& job) {
  const auto [known, is_new] = job_keys_.try_emplace(key);
  if (is_new) known->second.stored = job;
  known->second.now.reset();
}

void Keys::forget_unchanged() {
  const auto unchanged = [](const auto& known) { return known.second.stored == known.second.now; };
  std::erase_if(idempotency_, unchanged);
}

void Keys::enqueue_changes() {
  enqueue_idempotency(false);
  enqueue_job_keys(false);
}

void Keys::enqueue_end() {
  enqueue_idempotency(true);
  enqueue_job_keys(true);
}

void Keys::enqueue_idempotency(bool end) {
  IdempotencyRows moved;
  IdempotencyRows dropped;
  for (auto& [key, state] : idempotency_) {
    if (state.stored == state.now) continue;
    if (state.now) {
      moved.add(key, *state.now);
    } else if (end) {
      dropped.add(key);
    } else {
      continue;
    }
    state.stored = state.now;
  }
  if (!moved.empty()) connection_.enqueue_statement(move_idempotency, moved.take(true));
  if (!dropped.empty()) connection_.enqueue_statement(drop_idempotency, dropped.take(false));
}

void Keys::enqueue_job_keys(bool end) {
  JobKeyRows inserted;
  JobKeyRows moved;
  std::map<std::pair<std::string, std::string>, Column> dropped;  // by namespace and type
  for (auto& [key, state] : job_keys_) {
    if (state.stored == state.now) continue;
    if (state.now) {
      (state.stored ? moved : inserted).add(key, *state.now);
    } else if (end) {
      const std::pair type{key.ns, key.type};
      dropped.try_emplace(type, Column(Type::bytes)).first->second.add(key.key);
    } else {
      continue;
    }
    state.stored = state.now;
  }
  for (auto& [type, keys] : dropped) {
    Parameters parameters;
    parameters.add(type.first).add(type.second).add(std::move(keys));
    connection_.enqueue_statement(drop_job_key, std::move(parameters));
  }
  if (!inserted.empty()) connection_.enqueue_statement(insert_job_key, inserted.take(true));
  if (!moved.empty()) connection_.enqueue_statement(move_job_key, moved.take(true));
}

std::vector<JobId> Keys::jobs_led_to() const {
  std::set<JobId> jobs;
  for (const auto& [key, state] : idempotency_) {
    if (state.now) jobs.insert(state.now->job);
  }
  for (const auto& [key, state] : job_keys_) {
    if (state.now) jobs.insert(*state.now);
  }
  return {jobs.begin(), jobs.end()};
}

}  // namespace longshore::postgres
