#include <algorithm>
#include <tuple>
#include <utility>

#include "store/execute/apply_decision.h"

namespace longshore::execute {
namespace {

// A lease is large: it is filled in where it stays.
void add_lease(std::vector<Lease>& leases, Transaction& tx, Entry& entry) {
  const Job& job = entry.job();
  Lease& lease = leases.emplace_back();
  lease.job = job.id;
  lease.token = {.epoch = job.epoch, .claim = job.claim};
  lease.type = job.type;
  lease.job_key = job.job_key;
  lease.queue = job.queue;
  lease.attempt = job.attempt;
  lease.failures = job.failures;
  lease.max_retries = job.policy.max_retries;
  lease.lease_expires_at = job.lease_expires_at.value_or(Instant());
  lease.deadline_at = job.deadline_at.value_or(Instant());
  lease.created_at = job.created_at;
  lease.last_error = entry.error();
  lease.heard = job.heartbeat_due_at.value_or(Instant());
  tx.fill(lease, entry);
}

std::int64_t bytes_of(const std::optional<JobError>& error) {
  if (!error) return 0;
  return std::ssize(error->code) + std::ssize(error->message) + std::ssize(error->details);
}

// The leases of this very claim that still hold, in the order in which they were given. From now on
// this answer is the one that counts: whoever gave them before may not release them any more.
std::vector<Lease> leases_given_before(Transaction& tx, const Claim& claim) {
  const std::vector<JobId> ids = tx.of_claim(claim.id);
  if (ids.empty()) return {};
  tx.load(ids);
  std::vector<Entry*> held;
  for (const JobId& id : ids) {
    Entry* entry = find(tx, claim.ns, id);
    if (entry == nullptr || entry->job().worker != claim.worker) continue;
    if (entry->job().state != State::running || entry->job().claim != claim.id) continue;
    if (tx.now() < entry->job().lease_expires_at) held.push_back(entry);
  }
  const auto place = [&](const Entry* entry) {
    const Job& job = entry->job();
    return std::tuple(std::ranges::find(claim.queues, job.queue), job.priority, job.order);
  };
  std::ranges::sort(held, {}, place);
  std::vector<Lease> leases;
  for (Entry* entry : held) {
    const std::optional<Instant> heard_before = entry->job().heartbeat_due_at;
    decide_and_apply(tx, entry, ClaimAgainEvent{});
    add_lease(leases, tx, *entry);
    leases.back().heard_before = heard_before.value_or(Instant());
  }
  return leases;
}

// What one claim has gathered so far, and what it may still take.
class Gathering {
 public:
  Gathering(Transaction& tx, const Claim& claim)
      : unit_(tx), claim_(claim), bytes_left_(claim.bytes_max) {}

  bool full() const { return is_full_ || std::ssize(leases_) >= claim_.limit; }
  void visit(const std::string& queue);
  Leased finish() && { return {std::move(leases_)}; }

 private:
  // False when the claim must end here.
  bool take(Entry& entry);
  bool grant(Entry& entry, Change&& change);

  Transaction& unit_;
  const Claim& claim_;
  std::int64_t bytes_left_;
  bool is_full_ = false;
  std::vector<Lease> leases_;
};

void Gathering::visit(const std::string& queue) {
  Entry* entry = nullptr;
  while (!full()) {
    entry = unit_.next_ready(claim_, queue, entry);
    if (entry == nullptr || !take(*entry)) return;
  }
}

bool Gathering::take(Entry& entry) {
  Decision decision = decide(entry.job(), GrantEvent{&claim_}, unit_.rules(), unit_.now());
  Change* change = std::get_if<Change>(&decision);
  if (change == nullptr) return true;
  if (change->after.state == State::running) return grant(entry, std::move(*change));
  apply(unit_, std::move(*change));  // found expired, and withdrawn
  return true;
}

bool Gathering::grant(Entry& entry, Change&& change) {
  const std::int64_t bytes = unit_.bytes(entry, !change.drop_checkpoint) + bytes_of(entry.error());
  if (!leases_.empty() && bytes > bytes_left_) {
    is_full_ = true;
    return false;
  }
  bytes_left_ -= bytes;
  apply(unit_, std::move(change));
  add_lease(leases_, unit_, entry);
  return true;
}

}  // namespace

Verdict run(Transaction& tx, const Claim& claim) {
  std::vector<Lease> again = leases_given_before(tx, claim);
  if (!again.empty()) return Leased{std::move(again)};
  Gathering gathering(tx, claim);
  for (const std::string& queue : claim.queues) {
    if (!gathering.full()) gathering.visit(queue);
  }
  Leased leased = std::move(gathering).finish();
  if (leased.leases.empty() && tx.recollect(claim.id)) {
    leased.leases = leases_given_before(tx, claim);
  }
  return leased;
}

}  // namespace longshore::execute
