// What can go wrong with who holds a job.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "checker/mutant.h"
#include "core/rules/lifecycle.h"

namespace longshore::checker {
namespace {

// The token is taken from the record instead of from whoever speaks.
template <class Said>
class NoFence final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    const Said* said = std::get_if<Said>(&command);
    const Job* job = said != nullptr ? find(said->job) : nullptr;
    if (job == nullptr || job->state != State::running) return obey(command);
    Said forged = *said;
    forged.token = {job->epoch, job->claim};
    return obey(forged);
  }
};

// The end of a lease is not looked at as long as nobody has reclaimed the job.
class EndedLeaseStillGood final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    const Complete* said = std::get_if<Complete>(&command);
    const Job* job = said != nullptr ? find(said->job) : nullptr;
    if (job == nullptr || job->state != State::running || job->ns != said->ns) return obey(command);
    Job longer = *job;
    longer.lease_expires_at = now() + Duration::seconds(1);
    memory::Step at_work = step(habitat_.rules);
    return memory::apply_decision(at_work, decide(longer, *said, habitat_.rules, now())).verdict;
  }
};

// Reads which leases end soon, and requeues those ids at its next turn without looking again.
class ReaperByIdOnly final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    if (!std::holds_alternative<Reap>(command)) return obey(command);
    for (const JobId& id : std::exchange(seen_, {})) requeue(id);
    for (const auto& [at, id] : habitat_.disk.leases) {
      if (at < now() + Duration::seconds(1)) seen_.push_back(id);
    }
    return Swept{};
  }

 private:
  void requeue(const JobId& id) {
    const Job* job = find(id);
    if (job == nullptr || job->state == State::queued) return;
    Job believed = *job;
    believed.state = State::running;
    believed.lease_expires_at = now() - Duration::millis(1);
    believed.deadline_at = now() + Duration::seconds(1);
    memory::Step at_work = step(habitat_.rules);
    memory::apply_decision(at_work, decide(believed, LeaseEndEvent{}, habitat_.rules, now()));
  }
  std::vector<JobId> seen_;
};

// The reaper's clock runs ahead.
class LeaseCutShort final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    if (!std::holds_alternative<Reap>(command)) return obey(command);
    std::vector<JobId> ids;
    for (const auto& [at, id] : habitat_.disk.leases) {
      if (at < now() + Duration::seconds(2)) ids.push_back(id);
    }
    for (const JobId& id : ids) {
      Job early = *find(id);
      if (early.state == State::running) early.lease_expires_at = now();
      memory::Step at_work = step(habitat_.rules);
      memory::apply_decision(at_work, decide(early, LeaseEndEvent{}, habitat_.rules, now()));
    }
    return Swept{};
  }
};

// A claim that finds nothing is given what somebody else holds.
class TwoOwners final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    Verdict verdict = obey(command);
    const Claim* claim = std::get_if<Claim>(&command);
    Leased* leased = std::get_if<Leased>(&verdict);
    if (claim == nullptr || leased == nullptr || !leased->leases.empty()) return verdict;
    for (const auto& [id, stored] : habitat_.disk.jobs) {
      const Job& job = stored.record.job;
      if (job.state != State::running || job.ns != claim->ns || job.worker == claim->worker)
        continue;
      leased->leases.push_back({.job = id,
                                .token = {job.epoch, job.claim},
                                .type = job.type,
                                .queue = job.queue,
                                .body = stored.record.body,
                                .attempt = job.attempt,
                                .lease_expires_at = *job.lease_expires_at,
                                .deadline_at = *job.deadline_at});
      break;
    }
    return verdict;
  }
};

// Takes the head off the ready list, and is gone before it writes the lease.
class PoppedNeverLeased final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    if (std::holds_alternative<Claim>(command) && habitat_.random.chance(0.05)) pop();
    Verdict verdict = obey(command);
    forget();
    return verdict;
  }

 private:
  void pop() {
    for (const auto& [queue, ready] : habitat_.disk.ready) {
      if (!ready.empty()) return static_cast<void>(lost_.insert(ready.begin()->job));
    }
  }
  // Also what a sweep has just repaired.
  void forget() {
    for (auto queue = habitat_.disk.ready.begin(); queue != habitat_.disk.ready.end();) {
      std::erase_if(queue->second, [&](const auto& place) { return lost_.contains(place.job); });
      queue = queue->second.empty() ? habitat_.disk.ready.erase(queue) : std::next(queue);
    }
  }
  std::set<JobId> lost_;
};

// Answers yes to a settlement and does not write it.
class SettledOnlyInWords final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    const Complete* said = std::get_if<Complete>(&command);
    if (said == nullptr || !habitat_.random.chance(0.1)) return obey(command);
    const Job* job = find(said->job);
    if (job == nullptr || LeaseToken{job->epoch, job->claim} != said->token) return obey(command);
    return Settled{.job = said->job, .status = Status::completed};
  }
};

// Writes a settlement and answers no.
class RefusedAndDone final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    Verdict verdict = obey(command);
    const bool settles = std::holds_alternative<Complete>(command);
    if (!settles || !habitat_.random.chance(0.1)) return verdict;
    return Refusal{.code = Code::lease_lost, .detail = "said no, and did it"};
  }
};

}  // namespace

std::span<const Mutant> lease_mutants() {
  static const std::vector<Mutant> all = {
      {"no fence on complete", "S10", maker_of<NoFence<Complete>>()},
      {"no fence on heartbeat", "S10", maker_of<NoFence<Heartbeat>>()},
      {"an ended lease still settles", "S10", maker_of<EndedLeaseStillGood>()},
      {"reaper by id only", "S7", maker_of<ReaperByIdOnly>()},
      {"lease cut short", "S11", maker_of<LeaseCutShort>()},
      {"two owners at once", "S9", maker_of<TwoOwners>()},
      {"popped, lease never written", "L1", maker_of<PoppedNeverLeased>()},
      {"acknowledged, settlement not written", "B2", maker_of<SettledOnlyInWords>()},
      {"refused, settlement written", "B1", maker_of<RefusedAndDone>()},
  };
  return all;
}

}  // namespace longshore::checker
