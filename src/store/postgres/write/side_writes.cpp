#include "store/postgres/write/side_writes.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/record/audit_entry.h"
#include "core/record/error_group.h"

namespace longshore::postgres {
namespace {

constexpr Sql insert_failures = {
    "INSERT INTO @failure SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], "
    "$4::bigint[], $5::bytea[], $6::bytea[], $7::bytea[], $8::bigint[])"};
constexpr Sql trim_failures = {
    "DELETE FROM @failure WHERE id = $1 AND seq <= (SELECT seq FROM @failure WHERE id = $1 "
    "ORDER BY seq DESC OFFSET $2 LIMIT 1)"};
constexpr Sql upsert_groups = {
    "INSERT INTO @error_group AS known SELECT * FROM unnest($1::bytea[], $2::bytea[], "
    "$3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::uuid[], $8::bytea[], $9::bytea[]) "
    "ORDER BY 1, 2, 3 ON CONFLICT (ns, type, fingerprint) DO UPDATE SET "
    "count = known.count + excluded.count, last_at = excluded.last_at, "
    "sample = excluded.sample, code = excluded.code, message = excluded.message"};
constexpr Sql find_logs = {
    "SELECT log.id, log.attempt, log.text, log.last_append "
    "FROM unnest($1::uuid[], $2::bigint[]) AS wanted(id, attempt) JOIN @log AS log "
    "ON log.id = wanted.id AND log.attempt = wanted.attempt"};
constexpr Sql upsert_logs = {
    "INSERT INTO @log SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bytea[], $4::uuid[]) "
    "ON CONFLICT (id, attempt) DO UPDATE SET text = excluded.text, "
    "last_append = excluded.last_append"};
constexpr Sql insert_trail = {
    "INSERT INTO @audit SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], "
    "$4::bytea[], $5::bytea[], $6::bytea[], $7::bytea[])"};

// Keeps the end, and never begins inside a character.
void keep_newest(std::string& text) {
  if (text.size() <= log_bytes_kept) return;
  std::size_t begin = text.size() - log_bytes_kept;
  while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) ++begin;
  text.erase(0, begin);
}

}  // namespace

void SideWrites::add_failure(const Job& job, const JobError& error, std::int64_t seq) {
  const std::uint64_t fingerprint = error_fingerprint(job.type, error.code, error.message);
  failures_.push_back(
      {job.id, seq, {.attempt = job.attempt, .at = job.updated_at, .error = error}, fingerprint});
  group(job, error, fingerprint);
}

void SideWrites::group(const Job& job, const JobError& error, std::uint64_t fingerprint) {
  auto [entry, is_new] = groups_.try_emplace({job.ns, job.type, fingerprint});
  ErrorGroup& group = entry->second;
  if (is_new) group.first_at = job.updated_at;
  group.count += 1;
  group.last_at = job.updated_at;
  group.sample = job.id;
  group.code = error.code;
  group.message = error.message.substr(0, error.message.find('\n'));
}

void SideWrites::append_log(const JobId& id, int attempt, const std::string& text,
                            const std::optional<RequestId>& append) {
  if (!text.empty()) appends_.push_back({{id, attempt}, text, append});
}

void SideWrites::add_audit(std::int64_t number, const AuditEntry& entry) {
  trail_.push_back(entry);
  trail_.back().number = number;
}

bool SideWrites::is_audited(const RecordAudit& record) const {
  return std::ranges::any_of(
      trail_, [&](const AuditEntry& entry) { return is_same_action(entry, record); });
}

void SideWrites::read_logs() {
  if (appends_.empty()) return;
  std::set<LogKey> wanted;
  for (const Append& append : appends_) wanted.insert(append.log);
  Column ids(Type::uuid);
  Column attempts(Type::integer);
  for (const auto& [id, attempt] : wanted) {
    ids.add(id);
    attempts.add(attempt);
  }
  Parameters parameters;
  parameters.add(std::move(ids)).add(std::move(attempts));
  RowSet rows = connection_.ask(find_logs, std::move(parameters));
  while (rows.next()) {
    const JobId id = rows.id<JobId>();
    const int attempt = rows.small();
    Log& log = logs_[{id, attempt}];
    log.text = rows.text();
    log.last = rows.optional_id<RequestId>();
  }
}

void SideWrites::enqueue_statement() {
  enqueue_failures();
  enqueue_groups();
  enqueue_logs();
  enqueue_trail();
}

void SideWrites::enqueue_failures() {
  if (failures_.empty()) return;
  Column ids(Type::uuid), seqs(Type::integer), attempts(Type::integer), times(Type::integer);
  Column codes(Type::bytes), messages(Type::bytes), details(Type::bytes), prints(Type::integer);
  std::set<JobId> long_lists;
  for (const ListedFailure& each : failures_) {
    ids.add(each.job);
    seqs.add(each.seq);
    attempts.add(each.failure.attempt);
    times.add(each.failure.at);
    codes.add(each.failure.error.code);
    messages.add(each.failure.error.message);
    details.add(each.failure.error.details);
    prints.add(static_cast<std::int64_t>(each.fingerprint));
    if (each.failure.attempt > failures_kept) long_lists.insert(each.job);
  }
  Parameters parameters;
  parameters.add(std::move(ids)).add(std::move(seqs)).add(std::move(attempts));
  parameters.add(std::move(times)).add(std::move(codes)).add(std::move(messages));
  parameters.add(std::move(details)).add(std::move(prints));
  connection_.enqueue_statement(insert_failures, std::move(parameters));
  for (const JobId& id : long_lists) {
    Parameters which;
    which.add(id).add(failures_kept);
    connection_.enqueue_statement(trim_failures, std::move(which));
  }
  failures_.clear();
}

void SideWrites::enqueue_groups() {
  if (groups_.empty()) return;
  Column ns(Type::bytes), types(Type::bytes), prints(Type::integer), counts(Type::integer);
  Column firsts(Type::integer), lasts(Type::integer), samples(Type::uuid);
  Column codes(Type::bytes), messages(Type::bytes);
  for (const auto& [key, group] : groups_) {
    ns.add(std::get<0>(key));
    types.add(std::get<1>(key));
    prints.add(static_cast<std::int64_t>(std::get<2>(key)));
    counts.add(group.count);
    firsts.add(group.first_at);
    lasts.add(group.last_at);
    samples.add(group.sample);
    codes.add(group.code);
    messages.add(group.message);
  }
  Parameters parameters;
  parameters.add(std::move(ns)).add(std::move(types)).add(std::move(prints));
  parameters.add(std::move(counts)).add(std::move(firsts)).add(std::move(lasts));
  parameters.add(std::move(samples)).add(std::move(codes)).add(std::move(messages));
  connection_.enqueue_statement(upsert_groups, std::move(parameters));
  groups_.clear();
}

void SideWrites::enqueue_logs() {
  if (appends_.empty()) return;
  std::set<LogKey> changed;
  for (const Append& append : appends_) {
    Log& log = logs_[append.log];
    if (append.by && append.by == log.last) continue;
    log.text += append.text;
    keep_newest(log.text);
    log.last = append.by;
    changed.insert(append.log);
  }
  appends_.clear();
  if (changed.empty()) return;
  Column ids(Type::uuid), attempts(Type::integer), texts(Type::bytes), last(Type::uuid);
  for (const LogKey& key : changed) {
    ids.add(key.first);
    attempts.add(key.second);
    texts.add(logs_[key].text);
    last.add(logs_[key].last);
  }
  Parameters parameters;
  parameters.add(std::move(ids))
      .add(std::move(attempts))
      .add(std::move(texts))
      .add(std::move(last));
  connection_.enqueue_statement(upsert_logs, std::move(parameters));
}

void SideWrites::enqueue_trail() {
  if (trail_.empty()) return;
  Column numbers(Type::integer), times(Type::integer), ns(Type::bytes), actors(Type::bytes);
  Column requests(Type::bytes), actions(Type::bytes), targets(Type::bytes);
  for (const AuditEntry& entry : trail_) {
    numbers.add(entry.number);
    times.add(entry.at);
    ns.add(entry.ns);
    actors.add(entry.actor.name);
    requests.add(entry.actor.request_id);
    actions.add(entry.action);
    targets.add(entry.target);
  }
  Parameters parameters;
  parameters.add(std::move(numbers)).add(std::move(times)).add(std::move(ns));
  parameters.add(std::move(actors)).add(std::move(requests)).add(std::move(actions));
  parameters.add(std::move(targets));
  connection_.enqueue_statement(insert_trail, std::move(parameters));
  trail_.clear();
}

}  // namespace longshore::postgres
