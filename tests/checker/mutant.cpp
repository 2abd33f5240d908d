#include "checker/mutant.h"

#include <algorithm>
#include <vector>

namespace longshore::checker {

Result<Committed> MutantStore::commit(std::span<const Command> commands) {
  Committed committed;
  for (const Command& command : commands) committed.verdicts.push_back(judge(command));
  committed.at = now();
  return committed;
}

Verdict MutantStore::obey(const Command& command) {
  Result<Committed> committed = habitat_.store.commit({&command, 1});
  return std::move(committed->verdicts.front());
}

// Like the true store's clock, it never goes back.
Instant MutantStore::now() {
  return habitat_.disk.highest_time = std::max(habitat_.clock.now(), habitat_.disk.highest_time);
}

memory::Step MutantStore::step(const Rules& rules) {
  return {.disk = habitat_.disk, .rules = rules, .now = now()};
}

const Job* MutantStore::find(const JobId& id) const {
  const auto found = habitat_.disk.jobs.find(id);
  return found == habitat_.disk.jobs.end() ? nullptr : &found->second.record.job;
}

MutantMaker no_mutation() {
  return [](const Habitat& habitat) { return std::make_unique<MutantStore>(habitat); };
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

}  // namespace longshore::checker
