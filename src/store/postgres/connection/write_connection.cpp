#include "store/postgres/connection/write_connection.h"

#include <utility>

#include "store/postgres/connection/settings.h"
#include "store/postgres/schema.h"
#include "store/postgres/write/write_back.h"

namespace longshore::postgres {
namespace {

constexpr Sql insert_witness = {
    "INSERT INTO @witness(commits, at) VALUES (0, @store_time()) RETURNING id"};
constexpr Sql read_counter = {"SELECT commits FROM @witness WHERE id = $1"};
constexpr Sql count_commit = {"UPDATE @witness SET commits = commits + 1, at = $2 WHERE id = $1"};
constexpr Sql count_commit_if_writing = {
    "UPDATE @witness SET commits = commits + 1, at = $2 WHERE id = $1 AND "
    "pg_current_xact_id_if_assigned() IS NOT NULL"};

Parameters of(const CommitCounterId& id) {
  Parameters parameters;
  // The same bytes, whatever they name.
  parameters.add(RequestId{.high = id.high, .low = id.low});
  return parameters;
}

}  // namespace

Result<Nothing> WriteConnection::connect() {
  if (rested_for_long()) has_counter_ = false;
  if (connection_ && connection_->alive()) {
    auto good = accept_server();
    if (good && !has_counter_) good = begin_counter();
    if (good) return good;
    // A session keeps some settings that were changed since; another one may have better ones.
    const bool lost = !connection_->alive();
    disconnect();
    if (!lost) return good;
  }
  auto opened = Connection::open(target_);
  if (!opened) return opened.error();
  connection_ = std::move(*opened);
  asked_at_.reset();
  auto good = accept_server();
  if (good) prepare();
  if (good) good = has_counter_ ? compare_counter() : begin_counter();
  if (!good) disconnect();
  return good;
}

bool WriteConnection::was_asked_lately() const {
  constexpr std::int64_t second = 1'000'000;
  return asked_at_ && steady_() - *asked_at_ < second;
}

// The server may be another one since the store was opened, or have other settings, which reach
// connections that are open, too.
Result<Nothing> WriteConnection::accept_server() {
  if (!was_asked_lately()) {
    const auto promise = ask_promise(*connection_);
    if (!promise) return Error{.code = Errc::unavailable, .message = promise.error().message};
    asked_at_ = steady_();
    conditions_.saw({.durability = promise->durability,
                     .trouble = promise->weakness,
                     .where = promise->weakness.empty() ? "" : target_.shown},
                    *asked_at_);
  }
  if (auto refusal = conditions_.refusal()) return *refusal;
  return Nothing{};
}

bool WriteConnection::rested_for_long() {
  constexpr std::int64_t six_days = 6LL * 86'400 * 1'000'000;
  const std::int64_t now = steady_();
  const std::int64_t rested = now - std::exchange(used_at_, now);
  return has_counter_ && rested > six_days;
}

void WriteConnection::adopt(std::unique_ptr<Connection> connection,
                            const CommitCounterId& commit_counter) {
  connection_ = std::move(connection);
  prepare();
  counter_ = commit_counter;
  has_counter_ = true;
  used_at_ = steady_();
  asked_at_ = used_at_;
}

void WriteConnection::prepare() {
  connection_->learn_types(record_types());
  if (target_.prepare) connection_->ask(session_settings());
}

Result<Nothing> WriteConnection::begin_counter() {
  RowSet row = connection_->ask(insert_witness);
  if (!row.next()) return error_of(*connection_->trouble(), target_.shown);
  counter_ = row.id<CommitCounterId>();
  has_counter_ = true;
  commits_ = 0;
  return Nothing{};
}

Result<Nothing> WriteConnection::compare_counter() {
  RowSet row = connection_->ask(read_counter, of(counter_));
  if (connection_->trouble()) return error_of(*connection_->trouble(), target_.shown);
  const std::int64_t known = row.next() ? row.integer() : 0;
  if (known >= commits_) return Nothing{};
  has_counter_ = false;
  alarm_ = target_.shown + " went back in time: it knows " + std::to_string(known) + " of " +
           std::to_string(commits_) +
           " acknowledged commits of one connection; acknowledged jobs and outcomes are lost. Was "
           "an older copy restored, or a standby promoted that had not received them?";
  return Error{.code = Errc::unavailable, .message = *alarm_};
}

// Whoever starts later wants to know to the second until when somebody was there.
WriteConnection::CommitCount WriteConnection::commit_counter(Instant now) {
  const bool always = whole_second(now) > whole_second(counted_at_);
  if (always) counted_at_ = now;
  return {counter_, always};
}

void WriteConnection::enqueue_commit_count(Instant now, Wrote wrote) {
  counter_at_.reset();
  if (commit_counter(now).always) wrote = Wrote::yes;
  if (wrote == Wrote::no) return;
  if (wrote == Wrote::yes) counted_at_ = now;
  Parameters parameters = of(counter_);
  parameters.add(now);
  const Sql& sql = wrote == Wrote::yes ? count_commit : count_commit_if_writing;
  counter_at_ = connection_->enqueue_statement(sql, std::move(parameters));
}

void WriteConnection::acknowledged(const std::vector<RowSet>& answers) {
  if (counter_at_) commits_ += answers[*counter_at_].affected();
}

std::optional<std::string> WriteConnection::take_alarm() {
  return std::exchange(alarm_, std::nullopt);
}

}  // namespace longshore::postgres
