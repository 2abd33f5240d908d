#include "store/postgres/lane.h"

#include <utility>

#include "store/postgres/schema.h"
#include "store/postgres/settings.h"
#include "store/postgres/write_back.h"

namespace longshore::postgres {
namespace {

constexpr Sql insert_witness = {
    "INSERT INTO @witness(commits, at) VALUES (0, @store_time()) RETURNING id"};
constexpr Sql ask_witness = {"SELECT commits FROM @witness WHERE id = $1"};
constexpr Sql count_commit = {"UPDATE @witness SET commits = commits + 1, at = $2 WHERE id = $1"};
constexpr Sql count_commit_if_writing = {
    "UPDATE @witness SET commits = commits + 1, at = $2 WHERE id = $1 AND "
    "pg_current_xact_id_if_assigned() IS NOT NULL"};

Parameters of(const WitnessId& id) {
  Parameters parameters;
  // The same bytes, whatever they name.
  parameters.add(RequestId{.high = id.high, .low = id.low});
  return parameters;
}

}  // namespace

Result<Nothing> Lane::connect() {
  if (rested_for_long()) has_witness_ = false;
  if (connection_ && connection_->alive()) {
    auto good = accept_server();
    if (good && !has_witness_) good = begin_witness();
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
  if (good) good = has_witness_ ? compare_witness() : begin_witness();
  if (!good) disconnect();
  return good;
}

bool Lane::was_asked_lately() const {
  constexpr std::int64_t second = 1'000'000;
  return asked_at_ && steady_() - *asked_at_ < second;
}

// The server may be another one since the store was opened, or have other settings, which reach
// connections that are open, too.
Result<Nothing> Lane::accept_server() {
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

bool Lane::rested_for_long() {
  constexpr std::int64_t six_days = 6LL * 86'400 * 1'000'000;
  const std::int64_t now = steady_();
  const std::int64_t rested = now - std::exchange(used_at_, now);
  return has_witness_ && rested > six_days;
}

void Lane::adopt(std::unique_ptr<Connection> connection, const WitnessId& witness) {
  connection_ = std::move(connection);
  prepare();
  witness_ = witness;
  has_witness_ = true;
  used_at_ = steady_();
  asked_at_ = used_at_;
}

void Lane::prepare() {
  connection_->learn_types(record_types());
  if (target_.prepare) connection_->ask(session_settings());
}

Result<Nothing> Lane::begin_witness() {
  RowSet row = connection_->ask(insert_witness);
  if (!row.next()) return error_of(*connection_->trouble(), target_.shown);
  witness_ = row.id<WitnessId>();
  has_witness_ = true;
  commits_ = 0;
  return Nothing{};
}

Result<Nothing> Lane::compare_witness() {
  RowSet row = connection_->ask(ask_witness, of(witness_));
  if (connection_->trouble()) return error_of(*connection_->trouble(), target_.shown);
  const std::int64_t known = row.next() ? row.integer() : 0;
  if (known >= commits_) return Nothing{};
  has_witness_ = false;
  alarm_ = target_.shown + " went back in time: it knows " + std::to_string(known) + " of " +
           std::to_string(commits_) +
           " acknowledged commits of one connection; acknowledged jobs and outcomes are lost. Was "
           "an older copy restored, or a standby promoted that had not received them?";
  return Error{.code = Errc::unavailable, .message = *alarm_};
}

// Whoever starts later wants to know to the second until when somebody was there.
Lane::Witnessing Lane::witness(Instant now) {
  const bool anyhow = whole_second(now) > whole_second(witnessed_at_);
  if (anyhow) witnessed_at_ = now;
  return {witness_, anyhow};
}

void Lane::line_up_witness(Instant now, Wrote wrote) {
  witness_at_.reset();
  if (witness(now).anyhow) wrote = Wrote::yes;
  if (wrote == Wrote::no) return;
  if (wrote == Wrote::yes) witnessed_at_ = now;
  Parameters parameters = of(witness_);
  parameters.add(now);
  const Sql& sql = wrote == Wrote::yes ? count_commit : count_commit_if_writing;
  witness_at_ = connection_->line_up(sql, std::move(parameters));
}

void Lane::acknowledged(const std::vector<RowSet>& answers) {
  if (witness_at_) commits_ += answers[*witness_at_].affected();
}

std::optional<std::string> Lane::take_alarm() { return std::exchange(alarm_, std::nullopt); }

}  // namespace longshore::postgres
