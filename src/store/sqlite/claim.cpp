#include <algorithm>
#include <tuple>
#include <utility>

#include "store/sqlite/verbs.h"

namespace longshore::sqlite {
namespace {

Lease lease_of(UnitOfWork& work, Entry& entry) {
  const Job& job = entry.job();
  return {.job = job.id,
          .token = {.epoch = job.epoch, .claim = job.claim},
          .type = job.type,
          .job_key = job.job_key,
          .queue = job.queue,
          .body = work.take_body(entry),
          .attempt = job.attempt,
          .failures = job.failures,
          .max_retries = job.policy.max_retries,
          .lease_expires_at = job.lease_expires_at.value_or(Instant()),
          .deadline_at = job.deadline_at.value_or(Instant()),
          .created_at = job.created_at,
          .checkpoint = work.checkpoint(entry),
          .last_error = entry.head.error};
}

std::int64_t bytes_of(const JobBody& body, const std::optional<std::string>& checkpoint,
                      const std::optional<JobError>& error) {
  std::size_t bytes = body.payload.size() + body.metadata.size() + body.request.size();
  if (checkpoint) bytes += checkpoint->size();
  if (error) bytes += error->code.size() + error->message.size() + error->details.size();
  return static_cast<std::int64_t>(bytes);
}

// The leases of this very claim that still hold, in the order in which they were given.
std::vector<Lease> leases_given_before(UnitOfWork& work, const Claim& claim) {
  std::vector<Entry*> held;
  for (const JobId& id : work.leases().of_claim(claim.id)) {
    Entry* entry = work.find(claim.ns, id);
    if (entry == nullptr || entry->job().worker != claim.worker) continue;
    if (entry->job().state != State::running) continue;
    if (work.now() < entry->job().lease_expires_at) held.push_back(entry);
  }
  const auto place = [&](const Entry* entry) {
    const Job& job = entry->job();
    return std::tuple(std::ranges::find(claim.queues, job.queue), job.priority, job.order);
  };
  std::ranges::sort(held, {}, place);
  std::vector<Lease> leases;
  for (Entry* entry : held) leases.push_back(lease_of(work, *entry));
  return leases;
}

// What one claim has gathered so far, and what it may still take.
class Gathering {
 public:
  Gathering(UnitOfWork& work, const Claim& claim)
      : work_(work), claim_(claim), bytes_left_(claim.bytes_max) {}

  bool full() const { return is_full_ || std::ssize(leases_) >= claim_.limit; }
  void visit(const std::string& queue);
  Leased finish() && { return {std::move(leases_)}; }

 private:
  bool wants(const Lane& lane) const;
  // The lane whose first job comes first, of those that may be claimed from.
  Lane* best_lane(QueueState& queue);
  bool take(Lane& lane);
  bool grant(Entry& entry, Change&& change);

  UnitOfWork& work_;
  const Claim& claim_;
  std::int64_t bytes_left_;
  bool is_full_ = false;
  std::vector<Lease> leases_;
};

void Gathering::visit(const std::string& name) {
  QueueState* queue = work_.lanes().find_queue(claim_.ns, name);
  if (queue == nullptr || queue->paused) return;
  while (!full()) {
    const auto& rule = queue->rule;
    if (rule && rule->max_running && queue->running >= *rule->max_running) return;
    Lane* lane = best_lane(*queue);
    if (lane == nullptr || !take(*lane)) return;
  }
}

bool Gathering::wants(const Lane& lane) const {
  if (lane.queued() == 0) return false;
  const TypeState& type = *lane.type;
  if (claim_.types && std::ranges::find(*claim_.types, type.name) == claim_.types->end()) {
    return false;
  }
  return !type.rule || !type.rule->max_running || type.running < *type.rule->max_running;
}

// A place is kept by value: looking at one lane may push another's window out of memory.
Lane* Gathering::best_lane(QueueState& queue) {
  Lane* best = nullptr;
  ReadyPlace best_place = last_place;
  for (Lane* lane : queue.lanes) {
    if (!wants(*lane) || !work_.first_ready(*lane)) continue;
    const ReadyPlace place = lane->window.begin()->first;
    if (best != nullptr && best_place <= place) continue;
    best = lane;
    best_place = place;
  }
  return best;
}

// False when the claim must end here.
bool Gathering::take(Lane& lane) {
  const std::optional<JobId> id = work_.first_ready(lane);
  Entry* entry = id ? work_.find(*id) : nullptr;
  if (entry == nullptr) return false;
  Decision decision = decide(entry->job(), GrantEvent{&claim_}, work_.rules(), work_.now());
  Change* change = std::get_if<Change>(&decision);
  if (change == nullptr) return false;
  if (change->after.state == State::running) return grant(*entry, std::move(*change));
  apply(work_, std::move(*change));  // found expired, and withdrawn
  return true;
}

bool Gathering::grant(Entry& entry, Change&& change) {
  const auto checkpoint = change.drop_checkpoint ? std::nullopt : work_.checkpoint(entry);
  const std::int64_t bytes = bytes_of(work_.body(entry), checkpoint, entry.head.error);
  if (!leases_.empty() && bytes > bytes_left_) {
    is_full_ = true;
    return false;
  }
  bytes_left_ -= bytes;
  apply(work_, std::move(change));
  leases_.push_back(lease_of(work_, entry));
  return true;
}

}  // namespace

Verdict run(UnitOfWork& work, const Claim& claim) {
  std::vector<Lease> again = leases_given_before(work, claim);
  if (!again.empty()) return Leased{std::move(again)};
  Gathering gathering(work, claim);
  for (const std::string& queue : claim.queues) {
    if (!gathering.full()) gathering.visit(queue);
  }
  return std::move(gathering).finish();
}

}  // namespace longshore::sqlite
