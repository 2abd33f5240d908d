#include "engine/minutes.h"

#include <algorithm>

#include "core/rules/settle.h"

namespace longshore {
namespace {

constexpr Duration minute = Duration::minutes(1);

Instant minute_of(Instant at) { return Instant::millis(at.count() - at.count() % minute.count()); }

bool ends_attempt_badly(const Transition& move) {
  return move.to == State::retry && !is_withdrawal(move) &&
         (move.cause == Cause::fail || move.cause == Cause::timeout ||
          move.cause == Cause::lease_lost);
}

void add(MinuteRow& row, const JobEvent& one) {
  const Transition& move = one.transition;
  if (move.cause == Cause::enqueue) row.enqueued += 1;
  if (move.cause == Cause::claim) {
    row.started += 1;
    row.wait_millis += one.took.count();
  } else {
    row.run_millis += one.took.count();
  }
  const Status status = status_of(move);
  if (status == Status::completed) row.succeeded += 1;
  if (status == Status::failed) row.dead += 1;
  if (status == Status::canceled) row.canceled += 1;
  if (ends_attempt_badly(move)) row.failed += 1;
}

}  // namespace

void Minutes::count(const Committed& committed) {
  MutexLock lock(mutex_);
  store_time_ = std::max(store_time_, committed.at);
  MinuteRow* row = nullptr;
  for (const JobEvent& one : committed.events) {
    const Instant start = minute_of(one.transition.at);
    // Most events of a commit have the same queue and type, and the lookup is the main cost.
    const bool same = row != nullptr && row->minute == start && row->type == one.type &&
                      row->queue == one.queue && row->ns == one.ns;
    if (!same) row = &row_for(start, one);
    add(*row, one);
  }
}

MinuteRow& Minutes::row_for(Instant start, const JobEvent& one) {
  mutex_.assert_held();
  Row& row = rows_[{start, one.ns, one.queue, one.type}];
  row.row.minute = start;
  row.row.node = id_;
  row.row.ns = one.ns;
  row.row.queue = one.queue;
  row.row.type = one.type;
  row.sent_in = 0;
  row.stored = false;
  return row.row;
}

Minutes::Batch Minutes::take_changed() {
  MutexLock lock(mutex_);
  Batch batch{.number = ++batches_};
  for (auto at = rows_.begin(); at != rows_.end();) {
    Row& row = at->second;
    // A commit in flight may still contain a transition of the previous minute.
    const bool over = row.row.minute + minute + minute < store_time_;
    if (row.stored && over) {
      at = rows_.erase(at);
      continue;
    }
    if (!row.stored) {
      batch.rows.push_back(row.row);
      row.sent_in = batch.number;
    }
    ++at;
  }
  return batch;
}

std::size_t Minutes::size() const {
  MutexLock lock(mutex_);
  return rows_.size();
}

void Minutes::acknowledge(std::uint64_t batch) {
  MutexLock lock(mutex_);
  for (auto& [key, row] : rows_) row.stored = row.stored || row.sent_in == batch;
}

}  // namespace longshore
