// How a transaction ends: what was changed is lined up, in one statement if that can say it all.
#include <algorithm>
#include <utility>

#include "store/postgres/transaction.h"

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

void PostgresTransaction::line_up_dirty() {
  gather_dirty();
  write_back_.line_up();
  if (!extra_job_.empty()) {
    Parameters parameters;
    parameters.add(std::exchange(extra_job_, Column(Type::uuid)));
    parameters.add(std::exchange(extra_ns_, Column(Type::bytes)));
    parameters.add(std::exchange(extra_platform_, Column(Type::boolean)));
    parameters.add(std::exchange(extra_key_, Column(Type::bytes)));
    connection_.line_up(insert_bound_keys, std::move(parameters));
  }
}

void PostgresTransaction::flush() {
  annals_.read_logs();
  line_up_dirty();
  keys_.line_up_changes();
  annals_.line_up();
  std::vector<RowSet> answers = connection_.exchange();
  read_started(answers);
}

// What begins the transaction and proves its moment is lined up already, and gives way.
bool PostgresTransaction::line_up_alone(Lane& lane) {
  const bool nothing_else =
      annals_.empty() && keys_.empty() && extra_job_.empty() && wanted_bodies_.empty();
  const bool unsent = moment_at_ && connection_.lined_up() == *moment_at_ + 1;
  if (!unsent || !nothing_else || connection_.trouble()) return false;
  gather_dirty();
  const bool serves = outright_ && !outright_->empty();
  const bool one = serves ? write_back_.statements() == 0 && !write_back_.wrote_alone()
                          : write_back_.is_one_statement();
  if (!one || write_back_.proved() != remembered_) return false;
  connection_.forget_lined_up();
  const Frame frame{.carried = carried_,
                    .config = config_->version,
                    .witness = lane.witness(now_),
                    .now = now_,
                    .slot = lane.slot()};
  if (serves) {
    served_at_ = outright_->line_up(connection_, rules(), usual(), now_, lane.slot(), &frame);
    if (!served_at_) begin_anew();
  } else {
    write_back_.line_up_alone(frame);
  }
  moment_at_ = 0;
  hears_ = true;
  asked_at_ = shared_.steady();
  witnessed_anyhow_ = frame.witness.anyhow;
  return true;
}

void PostgresTransaction::line_up_end(int slot) {
  annals_.read_logs();
  hears_ = moment_at_ && connection_.lined_up() > 0;
  line_up_dirty();
  keys_.line_up_end();
  annals_.line_up();
  const bool serves = outright_ && !outright_->empty();
  std::optional<Scoped> served;  // the statement counts there
  if (serves) served = {outright_->like().ns, outright_->like().queues.front()};
  write_back_.line_up_counts(slot, served);
  line_up_bodies();
  if (serves) {
    served_at_ = outright_->line_up(connection_, rules(), usual(), now_, slot);
    if (!served_at_) begin_anew();
    write_back_.line_up_counts(slot);
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

bool PostgresTransaction::witnessed(const std::vector<RowSet>& answers) const {
  if (!served_at_ || witnessed_anyhow_) return true;
  return Outright::has_started(answers[*served_at_]);
}

Wrote PostgresTransaction::wrote() const {
  if (wrote_) return Wrote::yes;
  return served_at_ ? Wrote::perhaps : Wrote::no;
}

void PostgresTransaction::let_go() {
  std::erase_if(entries_, [](const auto& known) { return !known.second.started; });
}

}  // namespace longshore::postgres
