#include "checker/mutant.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace longshore::checker {

Result<Committed> MutantStore::commit(std::span<const Command> commands) {
  events_.clear();
  Committed committed;
  committed.verdicts = judge_all(commands);
  committed.events = std::move(events_);
  committed.at = now();
  return committed;
}

std::vector<Verdict> MutantStore::judge_all(std::span<const Command> commands) {
  std::vector<Verdict> verdicts;
  for (const Command& command : commands) verdicts.push_back(judge(command));
  return verdicts;
}

Verdict MutantStore::obey(const Command& command) {
  Result<Committed> committed = parts_.store.commit({&command, 1});
  std::ranges::move(committed->events, std::back_inserter(events_));
  return std::move(committed->verdicts.front());
}

// Like the real store's clock, it never goes back.
Instant MutantStore::now() {
  return parts_.disk.highest_time = std::max(parts_.clock.now(), parts_.disk.highest_time);
}

memory::Step MutantStore::step(const Rules& rules) {
  return {.disk = parts_.disk, .rules = rules, .now = now()};
}

const Job* MutantStore::find(const JobId& id) const {
  const auto found = parts_.disk.jobs.find(id);
  return found == parts_.disk.jobs.end() ? nullptr : &found->second.record.job;
}

MutantMaker no_mutation() {
  return [](const StoreParts& parts) { return std::make_unique<MutantStore>(parts); };
}

std::span<const Mutant> mutants() {
  static const std::vector<Mutant> all = [] {
    std::vector<Mutant> every;
    for (const auto part : {lease_mutants(), lifecycle_mutants(), keeping_mutants()}) {
      every.insert(every.end(), part.begin(), part.end());
    }
    return every;
  }();
  return all;
}

std::span<const Mutant> wide_mutants() {
  static const std::vector<Mutant> all = [] {
    std::vector<Mutant> every;
    for (const auto part : {settings_mutants(), set_back_mutants(), commit_mutants()}) {
      every.insert(every.end(), part.begin(), part.end());
    }
    return every;
  }();
  return all;
}

}  // namespace longshore::checker
