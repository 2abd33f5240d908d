// How a transaction ends: what was changed is lined up, in one statement if that can say it all.
#include <algorithm>
#include <utility>

#include "store/postgres/write/transaction.h"

namespace longshore::postgres {
namespace {

constexpr Sql insert_bound_keys = {
    "INSERT INTO @bound_key SELECT * FROM unnest($1::uuid[], $2::bytea[], $3::boolean[], "
    "$4::bytea[]) ON CONFLICT DO NOTHING"};

}  // namespace

// What was not locked before is locked in the order of ids, as far as one statement writes it.
void PostgresTransaction::gather_dirty() {
  if (remembered_ > 0) {
    std::ranges::sort(dirty_, {}, [](const Entry* entry) { return entry->job().id; });
  }
  for (Entry* entry : std::exchange(dirty_, {})) write_back_.add(*entry);
}

void PostgresTransaction::enqueue_dirty() {
  gather_dirty();
  write_back_.enqueue_statement();
  if (!extra_job_.empty()) {
    Parameters parameters;
    parameters.add(std::exchange(extra_job_, Column(Type::uuid)));
    parameters.add(std::exchange(extra_ns_, Column(Type::bytes)));
    parameters.add(std::exchange(extra_platform_, Column(Type::boolean)));
    parameters.add(std::exchange(extra_key_, Column(Type::bytes)));
    connection_.enqueue_statement(insert_bound_keys, std::move(parameters));
  }
}

void PostgresTransaction::flush() {
  side_writes_.read_logs();
  enqueue_dirty();
  keys_.enqueue_changes();
  side_writes_.enqueue_statement();
  std::vector<RowSet> answers = connection_.exchange();
  read_started(answers);
}

// What begins the transaction and proves its moment is lined up already, and gives way.
bool PostgresTransaction::enqueue_single_statement(WriteConnection& writer) {
  const bool nothing_else =
      side_writes_.empty() && keys_.empty() && extra_job_.empty() && wanted_bodies_.empty();
  const bool unsent = moment_at_ && connection_.lined_up() == *moment_at_ + 1;
  if (!unsent || !nothing_else || connection_.trouble()) return false;
  gather_dirty();
  const bool serves = optimistic_claim_ && !optimistic_claim_->empty();
  const bool one = serves ? write_back_.statements() == 0 && !write_back_.wrote_alone()
                          : write_back_.is_one_statement();
  if (!one || write_back_.proved() != remembered_) return false;
  connection_.forget_lined_up();
  const SingleStatement single{.carried = carried_,
                               .config = config_->version,
                               .commit_counter = writer.commit_counter(now_),
                               .now = now_,
                               .slot = writer.slot()};
  if (serves) {
    served_at_ = optimistic_claim_->enqueue_statement(connection_, rules(), usual(), now_,
                                                      writer.slot(), &single);
    if (!served_at_) begin_anew();
  } else {
    write_back_.enqueue_single_statement(single);
  }
  moment_at_ = 0;
  hears_ = true;
  asked_at_ = shared_.steady();
  counted_always_ = single.commit_counter.always;
  return true;
}

void PostgresTransaction::enqueue_end(int slot) {
  side_writes_.read_logs();
  hears_ = moment_at_ && connection_.lined_up() > 0;
  enqueue_dirty();
  keys_.enqueue_end();
  side_writes_.enqueue_statement();
  const bool serves = optimistic_claim_ && !optimistic_claim_->empty();
  std::optional<Scoped> served;  // the statement counts there
  if (serves) served = {optimistic_claim_->like().ns, optimistic_claim_->like().queues.front()};
  write_back_.enqueue_counts(slot, served);
  enqueue_bodies();
  if (serves) {
    served_at_ = optimistic_claim_->enqueue_statement(connection_, rules(), usual(), now_, slot);
    if (!served_at_) begin_anew();
    write_back_.enqueue_counts(slot);
  }
  asked_at_ = shared_.steady();
  if (moment_at_ && write_back_.wrote_alone()) begin_anew();
  if (write_back_.proved() == remembered_) return;
  connection_.give_up(
      {.kind = StickyError::Kind::again, .message = "a job was judged from memory"});
}

void PostgresTransaction::hear(std::vector<RowSet>& answers) {
  if (!hears_) return;
  RowSet& told = answers[*moment_at_];
  if (told.next()) shared_.heard(told.integer(), asked_at_);
  told.rewind();
}

bool PostgresTransaction::counted(const std::vector<RowSet>& answers) const {
  if (!served_at_ || counted_always_) return true;
  return OptimisticClaim::has_started(answers[*served_at_]);
}

Wrote PostgresTransaction::wrote() const {
  if (wrote_) return Wrote::yes;
  return served_at_ ? Wrote::perhaps : Wrote::no;
}

void PostgresTransaction::let_go() {
  std::erase_if(entries_, [](const auto& known) { return !known.second.started; });
}

}  // namespace longshore::postgres
