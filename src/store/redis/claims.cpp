// What a claim asks a batch: what it was given before, what is ready, and what may be started.
#include "store/redis/parts.h"
#include "store/redis/transaction.h"

namespace longshore::redis {

std::vector<JobId> RedisTransaction::of_claim(const RequestId& claim) {
  if (!claims_asked_.contains(claim)) ask({.claims = {claim}});
  std::vector<JobId> ids;
  const auto [begin, end] = claims_.equal_range(claim);
  for (auto it = begin; it != end; ++it) ids.push_back(it->second);
  return ids;
}

bool RedisTransaction::is_ready(const ReadyPlace& place) {
  const Entry* entry = known(place.job);
  return entry != nullptr && !entry->foreign && entry->job().state == State::queued &&
         place_of(entry->job()) == place;
}

// A claim for jobs that have been queued for a while passes over those that have not. Places at the
// back are given out in the order of time: behind a job that is too young, all of its priority are.
Entry* RedisTransaction::next_ready(const Claim& claim, const std::string& queue,
                                    const execute::Entry* after) {
  if (config_->pauses.contains(queue) || !queue_is_free(queue)) return nullptr;
  Shelf::Start start;
  if (after == nullptr) passed_priorities_ = 0;
  if (after != nullptr) start.after = place_of(after->job());
  const bool too_young =
      claim.queued_for && after != nullptr && after->job().state == State::queued;
  if (too_young && start.after->order > 0) passed_priorities_ = after->job().priority + 1;
  start.from = passed_priorities_;
  const auto place = shelf_.next(claim, queue, start,
                                 [this](const std::string& type) { return type_is_free(type); });
  return place ? find(place->job) : nullptr;
}

bool RedisTransaction::queue_is_free(const std::string& queue) {
  const QueueRule* rule = config_->queue(queue);
  if (rule == nullptr || !rule->max_running) return true;
  return running(count_field(queue, State::running)) < *rule->max_running;
}

bool RedisTransaction::type_is_free(const std::string& type) {
  const TypeRule* rule = config_->type(type);
  if (rule == nullptr || !rule->max_running) return true;
  return running(count_field(type)) < *rule->max_running;
}

std::vector<std::pair<std::string, std::int64_t>> RedisTransaction::type_limits(
    std::int64_t may_end) {
  std::vector<std::pair<std::string, std::int64_t>> limits;
  for (const auto& [type, rule] : config_->types) {
    if (!rule.max_running) continue;
    const auto counted = counted_.find(count_field(type));
    const std::int64_t by = counted == counted_.end() ? 0 : counted->second;
    limits.emplace_back(type, *rule.max_running - by + may_end);
  }
  return limits;
}

std::int64_t RedisTransaction::running(const std::string& field) {
  if (!counts_) ask({.counts = true});
  if (!counts_) return 0;
  limits_asked_.insert(field);
  const auto stored = counts_->find(field);
  return (stored == counts_->end() ? 0 : stored->second) + counted_[field];
}

void RedisTransaction::count(const Job& job, std::int64_t by) {
  if (job.state != State::running || !config_->has_limits()) return;
  counted_[count_field(job.queue, State::running)] += by;
  counted_[count_field(job.type)] += by;
}

std::int64_t RedisTransaction::bytes(execute::Entry& judged, bool with_checkpoint) {
  const Head& head = static_cast<Entry&>(judged).head;
  return head.body_bytes + (with_checkpoint ? head.checkpoint_bytes.value_or(0) : 0);
}

void RedisTransaction::fill(Lease& lease, execute::Entry& judged) {
  Entry& entry = static_cast<Entry&>(judged);
  const Head& head = entry.head;
  if (entry.body && !head.checkpoint_bytes) {
    lease.body = *entry.body;
  } else if (entry.dirty && entry.stored.exists && head.only_payload && !head.checkpoint_bytes &&
             !entry.body_changed && !entry.checkpoint_changed) {
    entry.payload_wanted = true;
  } else {
    wanted_bodies_.push_back(entry.job().id);
  }
}

void RedisTransaction::fill_leases(Reply& payloads, const Reply& bodies,
                                   std::vector<Verdict>& verdicts) const {
  std::unordered_map<JobId, const Reply*> found;
  for (std::size_t i = 0; i < wanted_bodies_.size() && i < bodies.items.size(); ++i) {
    found[wanted_bodies_[i]] = &bodies.items[i];
  }
  auto payload = payloads.items.begin();
  for (Entry* entry : dirty_) {
    if (!entry->payload_wanted || payload == payloads.items.end()) continue;
    entry->payload = std::move((payload++)->text);
  }
  for (Verdict& verdict : verdicts) {
    Leased* leased = std::get_if<Leased>(&verdict);
    if (leased == nullptr) continue;
    for (Lease& lease : leased->leases) {
      const auto entry = entries_.find(lease.job);
      if (entry != entries_.end() && entry->second->payload_wanted) {
        lease.body.payload = entry->second->payload;
        continue;
      }
      const auto body = found.find(lease.job);
      if (!lease.body.payload.empty() || body == found.end()) continue;
      lease.body = read_body(*body->second);
      lease.checkpoint = read_checkpoint(*body->second);
    }
  }
}

}  // namespace longshore::redis
