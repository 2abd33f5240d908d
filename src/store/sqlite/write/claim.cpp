// What a claim may be given, and what it is given of a job.
#include <algorithm>
#include <limits>
#include <utility>

#include "store/sqlite/write/transaction.h"

namespace longshore::sqlite {
namespace {

// Behind every place of its priority, with one more that can be named.
constexpr std::int64_t last_order = std::numeric_limits<std::int64_t>::max() - 1;

bool wants(const Claim& claim, const QueueType& queue_type) {
  if (queue_type.queued() == 0) return false;
  const TypeState& type = *queue_type.type;
  if (claim.types && std::ranges::find(*claim.types, type.name) == claim.types->end()) {
    return false;
  }
  return !type.rule || !type.rule->max_running || type.running < *type.rule->max_running;
}

}  // namespace

// Whatever was given out has left its queue_type, so that the next one stands first.
Entry* SqliteTransaction::next_ready(const Claim& claim, const std::string& queue,
                                     const execute::Entry* after) {
  if (after == nullptr) visited_ = queue_types_.find_queue(claim.ns, queue);
  if (visited_ == nullptr || visited_->paused) return nullptr;
  const auto& rule = visited_->rule;
  if (rule && rule->max_running && visited_->running >= *rule->max_running) return nullptr;
  if (claim.queued_for) return next_old(claim, after);
  QueueType* queue_type = best_lane(*visited_, claim);
  Entry* entry = queue_type == nullptr ? nullptr : find(queue_type->window.front().second);
  return entry == after ? nullptr : entry;
}

// The queue_type whose first job comes first, of those that may be claimed from. A place is kept by
// value: looking at one queue_type may push another's window out of memory.
QueueType* SqliteTransaction::best_lane(QueueState& queue, const Claim& claim) {
  QueueType* best = nullptr;
  ReadyPlace best_place = last_place;
  for (QueueType* queue_type : queue.queue_types) {
    if (!wants(claim, *queue_type) || !first_ready(*queue_type)) continue;
    const ReadyPlace place = queue_type->window.front().first;
    if (best != nullptr && best_place <= place) continue;
    best = queue_type;
    best_place = place;
  }
  return best != nullptr && first_ready(*best) ? best : nullptr;
}

// A claim for jobs that have been queued for a while passes over those that have not. Places at the
// back are given out in the order of time: behind a job that is too young, all of its priority are.
Entry* SqliteTransaction::next_old(const Claim& claim, const execute::Entry* after) {
  if (after == nullptr) passed_ = first_place;
  const bool too_young = after != nullptr && after->job().state == State::queued;
  if (too_young && passed_.order > 0) passed_.order = last_order;
  std::optional<Window::Item> best;
  for (QueueType* queue_type : visited_->queue_types) {
    if (!wants(claim, *queue_type)) continue;
    if (queue_types_.must_read_behind(*queue_type, passed_)) flush();
    const std::optional<Window::Item> first = queue_types_.first_behind(*queue_type, passed_);
    if (first && (!best || first->first < best->first)) best = first;
  }
  if (!best) return nullptr;
  passed_ = best->first;
  return find(best->second);
}

std::optional<JobId> SqliteTransaction::first_ready(QueueType& queue_type) {
  if (queue_types_.must_read_on(queue_type)) flush();
  const auto first = queue_types_.first(queue_type);
  return first ? std::optional(first->second) : std::nullopt;
}

std::int64_t SqliteTransaction::bytes(execute::Entry& entry, bool with_checkpoint) {
  const JobBody& given = body(entry);
  std::size_t bytes = given.payload.size() + given.metadata.size() + given.request.size();
  const auto kept = with_checkpoint ? checkpoint(static_cast<Entry&>(entry)) : std::nullopt;
  if (kept) bytes += kept->size();
  return static_cast<std::int64_t>(bytes);
}

void SqliteTransaction::fill(Lease& lease, execute::Entry& entry) {
  lease.body = take_body(static_cast<Entry&>(entry));
  lease.checkpoint = checkpoint(static_cast<Entry&>(entry));
}

JobBody SqliteTransaction::take_body(Entry& entry) {
  if (!entry.body) return reader_.body(entry.job().id);
  if (entry.body_changed) return *entry.body;  // it is still to be written
  JobBody body = std::move(*entry.body);
  entry.body.reset();
  return body;
}

std::optional<std::string> SqliteTransaction::checkpoint(const Entry& entry) {
  if (!entry.head.has_checkpoint) return std::nullopt;
  return reader_.checkpoint(entry.job().id);
}

}  // namespace longshore::sqlite
