// Mutants of whole commits: each command alone is executed correctly.
#include <utility>
#include <vector>

#include "checker/mutant.h"
#include "store/memory/verbs.h"

namespace longshore::checker {
namespace {

class AnswersInAnotherOrder final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  std::vector<Verdict> judge_all(std::span<const Command> commands) override {
    std::vector<Verdict> verdicts = MutantStore::judge_all(commands);
    for (std::size_t i = 1; i < verdicts.size(); ++i) {
      if (verdicts[i].index() == verdicts[i - 1].index()) std::swap(verdicts[i], verdicts[i - 1]);
    }
    return verdicts;
  }
};

// A later claim of the same commit does not see what an earlier one took.
class ClaimsBlindToEachOther final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  std::vector<Verdict> judge_all(std::span<const Command> commands) override {
    MemoryDisk before = parts_.disk;
    bool claimed = false;
    std::vector<Verdict> verdicts;
    for (const Command& command : commands) {
      const Claim* claim = std::get_if<Claim>(&command);
      if (claim != nullptr && std::exchange(claimed, true)) {
        memory::Step apart{.disk = before, .rules = parts_.rules, .now = now()};
        verdicts.push_back(memory::run(apart, *claim));
      } else {
        verdicts.push_back(obey(command));
      }
    }
    return verdicts;
  }
};

// Checks limits only for the first claim of a commit.
class LimitsOncePerCommit final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  std::vector<Verdict> judge_all(std::span<const Command> commands) override {
    bool claimed = false;
    std::vector<Verdict> verdicts;
    for (const Command& command : commands) {
      const bool first = !std::holds_alternative<Claim>(command) || !std::exchange(claimed, true);
      verdicts.push_back(first ? obey(command) : obey_without_limits(command));
    }
    return verdicts;
  }

 private:
  Verdict obey_without_limits(const Command& command) {
    auto queues = std::exchange(parts_.disk.queue_rules, {});
    auto types = std::exchange(parts_.disk.type_rules, {});
    Verdict verdict = obey(command);
    parts_.disk.queue_rules = std::move(queues);
    parts_.disk.type_rules = std::move(types);
    return verdict;
  }
};

// Answers commands after the twelfth without applying them.
class EndOfALargeCommitLost final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  std::vector<Verdict> judge_all(std::span<const Command> commands) override {
    std::vector<Verdict> verdicts;
    for (const Command& command : commands) {
      const Cancel* cancel = std::get_if<Cancel>(&command);
      const Job* job = cancel != nullptr ? find(cancel->job) : nullptr;
      const bool lost = verdicts.size() >= 12 && job != nullptr && job->ns == cancel->ns &&
                        !is_terminal(job->state);
      verdicts.push_back(lost ? Verdict(Settled{.job = cancel->job, .status = Status::canceled})
                              : obey(command));
    }
    return verdicts;
  }
};

// A refusal undoes the command before it.
class RefusalUndoesItsNeighbor final : public MutantStore {
 public:
  using MutantStore::MutantStore;

 protected:
  std::vector<Verdict> judge_all(std::span<const Command> commands) override {
    std::vector<Verdict> verdicts;
    MemoryDisk before;
    for (const Command& command : commands) {
      MemoryDisk now_at = parts_.disk;
      verdicts.push_back(obey(command));
      const bool refused = std::holds_alternative<Refusal>(verdicts.back());
      if (refused && verdicts.size() > 1) {
        before.highest_time = parts_.disk.highest_time;
        parts_.disk = before;
      } else {
        before = std::move(now_at);
      }
    }
    return verdicts;
  }
};

}  // namespace

std::span<const Mutant> commit_mutants() {
  static const std::vector<Mutant> all = {
      {"answers of a commit in another order", "B2", maker_of<AnswersInAnotherOrder>()},
      {"claims of a commit blind to each other", "S9", maker_of<ClaimsBlindToEachOther>()},
      {"limits checked once per commit", "S23", maker_of<LimitsOncePerCommit>()},
      {"end of a large commit not written", "S17", maker_of<EndOfALargeCommitLost>()},
      {"a refusal undoes its neighbor", "S1", maker_of<RefusalUndoesItsNeighbor>()},
  };
  return all;
}

}  // namespace longshore::checker
