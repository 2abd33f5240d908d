// Mutants of the life cycle: each decides with altered rules or an altered job, and applies the
// result.
#include <functional>
#include <utility>
#include <vector>

#include "checker/mutant.h"
#include "core/rules/lifecycle.h"

namespace longshore::checker {
namespace {

// Decides for a job altered by `pretend`; `restore` repairs the result.
template <class CommandType>
class Misjudged : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  virtual bool pretend(Job& job) = 0;
  virtual void restore(Job& after, const Job& before) = 0;

  Verdict judge(const Command& command) override {
    const CommandType* one = std::get_if<CommandType>(&command);
    const Job* job = one != nullptr ? find(one->job) : nullptr;
    if (job == nullptr || job->ns != one->ns) return obey(command);
    const Job before = *job;
    Job seen = before;
    if (!pretend(seen)) return obey(command);
    Decision decision = decide(seen, *one, parts_.rules, now());
    if (Change* change = std::get_if<Change>(&decision)) restore(change->after, before);
    memory::Step at_work = step(parts_.rules);
    return memory::apply_decision(at_work, std::move(decision)).verdict;
  }
};

class OneRetryTooMany final : public Misjudged<Fail> {
 public:
  using Misjudged::Misjudged;

 protected:
  bool pretend(Job& job) override { return ++job.policy.max_retries > 0; }
  void restore(Job& after, const Job& before) override { after.policy = before.policy; }
};

class WrongBackoff final : public Misjudged<Fail> {
 public:
  using Misjudged::Misjudged;

 protected:
  bool pretend(Job& job) override {
    job.policy.backoff.kind = Backoff::Kind::fixed;
    return true;
  }
  void restore(Job& after, const Job& before) override { after.policy = before.policy; }
};

class RetryAfterCancel final : public Misjudged<Fail> {
 public:
  using Misjudged::Misjudged;

 protected:
  bool pretend(Job& job) override { return std::exchange(job.cancel_requested, false); }
  void restore(Job&, const Job&) override {}
};

class CancelNotTold final : public Misjudged<Heartbeat> {
 public:
  using Misjudged::Misjudged;

 protected:
  bool pretend(Job& job) override { return std::exchange(job.cancel_requested, false); }
  void restore(Job& after, const Job&) override { after.cancel_requested = true; }
};

// Accepts a late result for a canceled job.
class LateCompleteOverCanceled final : public Misjudged<Complete> {
 public:
  using Misjudged::Misjudged;

 protected:
  bool pretend(Job& job) override {
    if (job.state != State::canceled || job.attempt == 0) return false;
    job.state = State::running;
    job.epoch = job.epoch > 0 ? job.epoch : 1;
    job.lease_expires_at = job.deadline_at = now() + Duration::seconds(1);
    return true;
  }
  void restore(Job&, const Job&) override {}

  Verdict judge(const Command& command) override {
    const Complete* one = std::get_if<Complete>(&command);
    const auto stored = one == nullptr ? parts_.disk.jobs.end() : parts_.disk.jobs.find(one->job);
    // Its token is the last one, and there was no other claim since.
    if (stored != parts_.disk.jobs.end() && stored->second.record.job.state == State::canceled &&
        stored->second.record.job.epoch == one->token.epoch) {
      stored->second.record.job.claim = one->token.claim;
      stored->second.record.job.settled.reset();
    }
    return Misjudged::judge(command);
  }
};

class SecondResultWins final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    const Complete* one = std::get_if<Complete>(&command);
    const Job* job = one != nullptr ? find(one->job) : nullptr;
    if (job == nullptr || job->state != State::success) return obey(command);
    parts_.disk.jobs.at(one->job).record.result = "\"the second\"";
    return Settled{.job = one->job, .status = Status::completed};
  }
};

class ResultStoredOnFailure final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    Verdict verdict = obey(command);
    const Fail* one = std::get_if<Fail>(&command);
    if (one != nullptr && std::holds_alternative<Settled>(verdict)) {
      parts_.disk.jobs.at(one->job).record.result = "null";
    }
    return verdict;
  }
};

class RedriveInPlace final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    const Redrive* one = std::get_if<Redrive>(&command);
    const Job* job = one != nullptr ? find(one->job) : nullptr;
    if (job == nullptr || job->ns != one->ns) return obey(command);
    Rules reopening = parts_.rules;
    reopening.terminal = Rules::Terminal::reopen;
    memory::Step at_work = step(reopening);
    return memory::apply_decision(at_work, decide(*job, *one, reopening, now())).verdict;
  }
};

class EarlyTimer final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    if (!std::holds_alternative<Due>(command)) return obey(command);
    std::vector<JobId> ids;
    for (const auto& [at, id] : parts_.disk.future) {
      if (at < now() + Duration::millis(1500)) ids.push_back(id);
    }
    for (const JobId& id : ids) {
      const Instant run_at = find(id)->run_at;
      Job early = *find(id);
      early.run_at = now();
      Decision decision = decide(early, DueEvent{}, parts_.rules, now());
      if (Change* change = std::get_if<Change>(&decision)) change->after.run_at = run_at;
      memory::Step at_work = step(parts_.rules);
      memory::apply_decision(at_work, std::move(decision));
    }
    return Swept{};
  }
};

class NoPoisonLimit final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    if (!std::holds_alternative<Reap>(command)) return obey(command);
    Rules patient = parts_.rules;
    patient.max_crashes.reset();
    std::vector<JobId> ids;
    for (const auto& [at, id] : parts_.disk.leases) {
      if (at <= now()) ids.push_back(id);
    }
    for (const JobId& id : ids) {
      memory::Step at_work = step(patient);
      memory::apply_decision(at_work, decide(*find(id), LeaseEndEvent{}, patient, now()));
    }
    return Swept{};
  }
};

class TimeoutsNotCounted final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  Verdict judge(const Command& command) override {
    Verdict verdict = obey(command);
    if (!std::holds_alternative<Reap>(command)) return verdict;
    for (auto& [id, stored] : parts_.disk.jobs) {
      Job& job = stored.record.job;
      const auto& history = stored.record.history;
      const bool timed_out = job.state == State::queued && history.size() > 1 &&
                             history[history.size() - 2].cause == Cause::timeout;
      if (timed_out && job.failures > 0 && job.updated_at == now()) job.failures -= 1;
    }
    return verdict;
  }
};

}  // namespace

std::span<const Mutant> lifecycle_mutants() {
  static const std::vector<Mutant> all = {
      {"one retry too many", "S13", maker_of<OneRetryTooMany>()},
      {"wrong back-off", "S15", maker_of<WrongBackoff>()},
      {"retry after an accepted cancel", "S17", maker_of<RetryAfterCancel>()},
      {"cancel never told to the owner", "S17", maker_of<CancelNotTold>()},
      {"late complete overwrites CANCELED", "S7", maker_of<LateCompleteOverCanceled>()},
      {"the second result wins", "S12", maker_of<SecondResultWins>()},
      {"result stored on failure", "S12", maker_of<ResultStoredOnFailure>()},
      {"redrive in place", "S7", maker_of<RedriveInPlace>()},
      {"early timer", "S14", maker_of<EarlyTimer>()},
      {"no poison limit", "S13", maker_of<NoPoisonLimit>()},
      {"timeouts not counted", "S13", maker_of<TimeoutsNotCounted>()},
  };
  return all;
}

}  // namespace longshore::checker
