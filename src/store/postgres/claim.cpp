#include <algorithm>
#include <tuple>
#include <utility>

#include "store/postgres/verbs.h"

namespace longshore::postgres {
namespace {

// A body that is not in memory is read when the transaction ends, and so is a checkpoint.
Lease lease_of(UnitOfWork& work, Entry& entry) {
  const Job& job = entry.job();
  Lease lease{.job = job.id,
              .token = {.epoch = job.epoch, .claim = job.claim},
              .type = job.type,
              .job_key = job.job_key,
              .queue = job.queue,
              .attempt = job.attempt,
              .failures = job.failures,
              .max_retries = job.policy.max_retries,
              .lease_expires_at = job.lease_expires_at.value_or(Instant()),
              .deadline_at = job.deadline_at.value_or(Instant()),
              .created_at = job.created_at,
              .last_error = entry.head.error};
  if (entry.body && !entry.head.checkpoint_bytes) {
    lease.body = *entry.body;
  } else {
    work.want_body(job.id);
  }
  return lease;
}

std::int64_t bytes_of(const Head& head, bool with_checkpoint) {
  std::int64_t bytes = head.body_bytes;
  if (with_checkpoint) bytes += head.checkpoint_bytes.value_or(0);
  if (!head.error) return bytes;
  return bytes + std::ssize(head.error->code) + std::ssize(head.error->message) +
         std::ssize(head.error->details);
}

// The leases of this very claim that still hold, in the order in which they were given.
std::vector<Lease> leases_given_before(UnitOfWork& work, const Claim& claim) {
  std::vector<Entry*> held;
  for (const JobId& id : work.of_claim(claim.id)) {
    Entry* entry = work.find(claim.ns, id);
    if (entry == nullptr || entry->job().worker != claim.worker) continue;
    if (entry->job().state != State::running || entry->job().claim != claim.id) continue;
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
  // False when the claim must end here.
  bool take(const JobId& id);
  bool grant(Entry& entry, Change&& change);

  UnitOfWork& work_;
  const Claim& claim_;
  std::int64_t bytes_left_;
  bool is_full_ = false;
  std::vector<Lease> leases_;
};

void Gathering::visit(const std::string& queue) {
  if (work_.config().pauses.contains({claim_.ns, queue})) return;
  std::optional<ReadyPlace> place;
  while (!full() && work_.limits().queue_is_free(claim_.ns, queue)) {
    place = work_.shelf().next(claim_, queue, place);
    if (!place) return;
    if (!take(place->job)) return;
  }
}

bool Gathering::take(const JobId& id) {
  Entry* entry = work_.find(id);
  if (entry == nullptr) return false;
  if (!work_.limits().type_is_free(claim_.ns, entry->job().type)) return true;
  Decision decision = decide(entry->job(), GrantEvent{&claim_}, work_.rules(), work_.now());
  Change* change = std::get_if<Change>(&decision);
  if (change == nullptr) return true;
  if (change->after.state == State::running) return grant(*entry, std::move(*change));
  apply(work_, std::move(*change));  // found expired, and withdrawn
  return true;
}

bool Gathering::grant(Entry& entry, Change&& change) {
  const std::int64_t bytes = bytes_of(entry.head, !change.drop_checkpoint);
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

}  // namespace longshore::postgres
