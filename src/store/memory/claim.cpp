#include <algorithm>
#include <tuple>
#include <utility>

#include "store/memory/verbs.h"

namespace longshore::memory {
namespace {

Lease lease_of(const JobRecord& record) {
  const Job& job = record.job;
  return {.job = job.id,
          .token = {.epoch = job.epoch, .claim = job.claim},
          .type = job.type,
          .job_key = job.job_key,
          .queue = job.queue,
          .body = record.body,
          .attempt = job.attempt,
          .failures = job.failures,
          .max_retries = job.policy.max_retries,
          .lease_expires_at = *job.lease_expires_at,
          .deadline_at = *job.deadline_at,
          .created_at = job.created_at,
          .checkpoint = record.checkpoint,
          .last_error = record.error,
          .heard = job.heartbeat_due_at.value_or(Instant())};
}

std::int64_t bytes_of(const JobRecord& record, bool with_checkpoint) {
  std::size_t bytes =
      record.body.payload.size() + record.body.metadata.size() + record.body.request.size();
  if (record.checkpoint && with_checkpoint) bytes += record.checkpoint->size();
  if (record.error) {
    const JobError& error = *record.error;
    bytes += error.code.size() + error.message.size() + error.details.size();
  }
  return static_cast<std::int64_t>(bytes);
}

// The leases of this very claim that still hold, in the order in which they were given. The answer
// before this one is told from it by Lease::heard.
std::vector<Lease> leases_given_before(Step& step, const Claim& claim) {
  std::vector<const JobRecord*> held;
  for (auto it = step.disk.claims.lower_bound({claim.id, JobId{}});
       it != step.disk.claims.end() && it->first == claim.id; ++it) {
    const StoredJob* stored = find(step.disk, claim.ns, it->second);
    if (stored == nullptr || stored->record.job.worker != claim.worker) continue;
    if (step.now < stored->record.job.lease_expires_at) held.push_back(&stored->record);
  }
  const auto place = [&](const JobRecord* record) {
    const Job& job = record->job;
    return std::tuple(std::ranges::find(claim.queues, job.queue), job.priority, job.order);
  };
  std::ranges::sort(held, {}, place);
  std::vector<Lease> leases;
  leases.reserve(held.size());
  for (const JobRecord* record : held) {
    const std::optional<Instant> heard_before = record->job.heartbeat_due_at;
    Decision decision = decide(record->job, ClaimAgainEvent{}, step.rules, step.now);
    if (Change* change = std::get_if<Change>(&decision)) apply(step, std::move(*change));
    leases.push_back(lease_of(*record));
    leases.back().heard_before = heard_before.value_or(Instant());
  }
  return leases;
}

// What one claim has gathered so far, and what it may still take.
class Gathering {
 public:
  Gathering(Step& step, const Claim& claim)
      : step_(step), disk_(step.disk), claim_(claim), bytes_left_(claim.bytes_max) {}

  bool full() const { return is_full_ || std::ssize(leases_) >= claim_.limit; }
  void visit(const std::string& queue);
  Leased finish() && { return {std::move(leases_)}; }

 private:
  std::optional<MemoryDisk::ReadyPlace> next_ready(
      const std::string& queue, const std::optional<MemoryDisk::ReadyPlace>& after) const;
  bool queue_is_free(const std::string& queue) const;
  bool type_is_free(const std::string& type) const;
  bool wants(const std::string& type) const;
  void take(const JobId& id);
  void grant(StoredJob& stored, Change change);

  Step& step_;
  MemoryDisk& disk_;
  const Claim& claim_;
  std::int64_t bytes_left_;
  bool is_full_ = false;
  std::vector<Lease> leases_;
};

std::optional<MemoryDisk::ReadyPlace> Gathering::next_ready(
    const std::string& queue, const std::optional<MemoryDisk::ReadyPlace>& after) const {
  const auto ready = disk_.ready.find({claim_.ns, queue});
  if (ready == disk_.ready.end()) return std::nullopt;
  const auto& places = ready->second;
  const auto next = after ? places.upper_bound(*after) : places.begin();
  return next == places.end() ? std::nullopt : std::optional(*next);
}

void Gathering::visit(const std::string& queue) {
  if (disk_.pauses.contains({claim_.ns, queue})) return;
  // Looked up anew each time, because taking a job takes its place away.
  for (auto place = next_ready(queue, std::nullopt); place; place = next_ready(queue, place)) {
    if (full() || !queue_is_free(queue)) return;
    take(place->job);
  }
}

bool Gathering::queue_is_free(const std::string& queue) const {
  const auto rule = disk_.queue_rules.find({claim_.ns, queue});
  if (rule == disk_.queue_rules.end() || !rule->second.max_running) return true;
  const auto counts = disk_.counts.find({claim_.ns, queue});
  if (counts == disk_.counts.end()) return true;
  return counts->second[static_cast<std::size_t>(State::running)] < *rule->second.max_running;
}

bool Gathering::type_is_free(const std::string& type) const {
  const auto rule = disk_.type_rules.find({claim_.ns, type});
  if (rule == disk_.type_rules.end() || !rule->second.max_running) return true;
  const auto running = disk_.running_of_type.find({claim_.ns, type});
  return (running == disk_.running_of_type.end() ? 0 : running->second) < *rule->second.max_running;
}

bool Gathering::wants(const std::string& type) const {
  return !claim_.types || std::ranges::find(*claim_.types, type) != claim_.types->end();
}

void Gathering::take(const JobId& id) {
  StoredJob* stored = find(disk_, claim_.ns, id);
  if (stored == nullptr) return;
  const Job& job = stored->record.job;
  if (!wants(job.type) || !type_is_free(job.type)) return;
  Decision decision = decide(job, GrantEvent{&claim_}, step_.rules, step_.now);
  Change* change = std::get_if<Change>(&decision);
  if (change == nullptr) return;
  if (change->after.state != State::running) {  // found expired, and withdrawn
    apply(step_, std::move(*change));
    return;
  }
  grant(*stored, std::move(*change));
}

void Gathering::grant(StoredJob& stored, Change change) {
  const std::int64_t bytes = bytes_of(stored.record, !change.drop_checkpoint);
  if (!leases_.empty() && bytes > bytes_left_) {
    is_full_ = true;
    return;
  }
  bytes_left_ -= bytes;
  apply(step_, std::move(change));
  leases_.push_back(lease_of(stored.record));
}

}  // namespace

Verdict run(Step& step, const Claim& claim) {
  std::vector<Lease> again = leases_given_before(step, claim);
  if (!again.empty()) return Leased{std::move(again)};
  Gathering gathering(step, claim);
  for (const std::string& queue : claim.queues) {
    if (!gathering.full()) gathering.visit(queue);
  }
  return std::move(gathering).finish();
}

}  // namespace longshore::memory
