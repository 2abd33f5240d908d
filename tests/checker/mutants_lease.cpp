// Mutants of leases and ownership.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "checker/mutant.h"
#include "core/rules/lifecycle.h"

namespace longshore::checker {
namespace {

// Uses the token of the record instead of that of the command.
template <class CommandType>
class NoFence final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    const CommandType* one = std::get_if<CommandType>(&command);
    const Job* job = one != nullptr ? find(one->job) : nullptr;
    if (job == nullptr || job->state != State::running) return obey(command);
    CommandType forged = *one;
    forged.token = {job->epoch, job->claim};
    return obey(forged);
  }
};

// Ignores the end of a lease until the job is reaped.
class EndedLeaseStillGood final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    const Complete* one = std::get_if<Complete>(&command);
    const Job* job = one != nullptr ? find(one->job) : nullptr;
    if (job == nullptr || job->state != State::running || job->ns != one->ns) return obey(command);
    Job longer = *job;
    longer.lease_expires_at = now() + Duration::seconds(1);
    memory::Step at_work = step(parts_.rules);
    return memory::apply_decision(at_work, decide(longer, *one, parts_.rules, now())).verdict;
  }
};

// Reads which leases end soon, and requeues those jobs later without checking again.
class ReaperByIdOnly final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    if (!std::holds_alternative<Reap>(command)) return obey(command);
    for (const JobId& id : std::exchange(seen_, {})) requeue(id);
    for (const auto& [at, id] : parts_.disk.leases) {
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
    memory::Step at_work = step(parts_.rules);
    memory::apply_decision(at_work, decide(believed, LeaseEndEvent{}, parts_.rules, now()));
  }
  std::vector<JobId> seen_;
};

// The reaper's clock is fast.
class LeaseCutShort final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    if (!std::holds_alternative<Reap>(command)) return obey(command);
    std::vector<JobId> ids;
    for (const auto& [at, id] : parts_.disk.leases) {
      if (at < now() + Duration::seconds(2)) ids.push_back(id);
    }
    for (const JobId& id : ids) {
      Job early = *find(id);
      if (early.state == State::running) early.lease_expires_at = now();
      memory::Step at_work = step(parts_.rules);
      memory::apply_decision(at_work, decide(early, LeaseEndEvent{}, parts_.rules, now()));
    }
    return Swept{};
  }
};

// Gives a claim that finds nothing a job of another worker.
class TwoOwners final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    Verdict verdict = obey(command);
    const Claim* claim = std::get_if<Claim>(&command);
    Leased* leased = std::get_if<Leased>(&verdict);
    if (claim == nullptr || leased == nullptr || !leased->leases.empty()) return verdict;
    for (const auto& [id, stored] : parts_.disk.jobs) {
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

// Removes the head of the ready list and crashes before it writes the lease.
class PoppedNeverLeased final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    if (std::holds_alternative<Claim>(command) && parts_.random.chance(0.05)) pop();
    Verdict verdict = obey(command);
    forget();
    return verdict;
  }

 private:
  void pop() {
    for (const auto& [queue, ready] : parts_.disk.ready) {
      if (!ready.empty()) return static_cast<void>(lost_.insert(ready.begin()->job));
    }
  }
  // Also jobs that a sweep has just repaired.
  void forget() {
    for (auto queue = parts_.disk.ready.begin(); queue != parts_.disk.ready.end();) {
      std::erase_if(queue->second, [&](const auto& place) { return lost_.contains(place.job); });
      queue = queue->second.empty() ? parts_.disk.ready.erase(queue) : std::next(queue);
    }
  }
  std::set<JobId> lost_;
};

// Acknowledges a settlement without writing it.
class SettledOnlyInWords final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    const Complete* one = std::get_if<Complete>(&command);
    if (one == nullptr || !parts_.random.chance(0.1)) return obey(command);
    const Job* job = find(one->job);
    if (job == nullptr || LeaseToken{job->epoch, job->claim} != one->token) return obey(command);
    return Settled{.job = one->job, .status = Status::completed};
  }
};

// Writes a settlement and refuses it.
class RefusedAndDone final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    Verdict verdict = obey(command);
    const bool settles = std::holds_alternative<Complete>(command);
    if (!settles || !parts_.random.chance(0.1)) return verdict;
    return Refusal{.code = Code::lease_lost, .detail = "one no, and did it"};
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
