// Stores with one thing wrong each: what the checker must find.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/ids/random.h"
#include "core/time/clock.h"
#include "longshore/store.h"
#include "store/memory/disk.h"
#include "store/memory/step.h"

namespace longshore::checker {

// Where a mutant lives. What it does wrong it does between two calls of the true store, on the
// true store's disk.
struct Habitat {
  MemoryDisk& disk;
  Store& store;
  Clock& clock;
  const Rules& rules;
  Random& random;
};

// Without a mutation, the store as it is.
class MutantStore : public Store {
 public:
  explicit MutantStore(const Habitat& habitat) : habitat_(habitat) {}

  Result<Committed> commit(std::span<const Command> commands) override;
  const Capabilities& capabilities() const override { return habitat_.store.capabilities(); }
  // The node dies: what was only in its memory is gone.
  virtual void crash() {}
  // Leaves the job out when the dead letters are listed.
  virtual bool hides(const Job&) const { return false; }

 protected:
  // One commit as a whole; unless a mutant sees more in it, each command alone and in order.
  virtual std::vector<Verdict> judge_all(std::span<const Command> commands);
  virtual Verdict judge(const Command& command) { return obey(command); }

  // What the true store says.
  Verdict obey(const Command& command);
  Instant now();
  memory::Step step(const Rules& rules);
  // The job as it is stored; null if there is none.
  const Job* find(const JobId& id) const;
  Habitat habitat_;

 private:
  std::vector<JobEvent> events_;  // in the commit at work
};

using MutantMaker = std::function<std::unique_ptr<MutantStore>(const Habitat&)>;

template <class T>
MutantMaker maker_of() {
  return [](const Habitat& habitat) { return std::make_unique<T>(habitat); };
}

struct Mutant {
  std::string_view name;
  std::string_view rule;  // that must find it, whatever else does
  MutantMaker make;
};

// Every one that workloads of single commands find, each under a name that says what it does.
std::span<const Mutant> mutants();
MutantMaker no_mutation();

// The three parts that mutants() is made of.
std::span<const Mutant> lease_mutants();
std::span<const Mutant> lifecycle_mutants();
std::span<const Mutant> keeping_mutants();

// Those that it takes a wide workload to find: several commands in a commit, operators in every
// namespace, configurations and tokens that change, a disk that is set back.
std::span<const Mutant> wide_mutants();
// Of these, the ones that show in single commands too, once somebody sends them.
std::span<const Mutant> settings_mutants();
std::span<const Mutant> set_back_mutants();
// And the ones about a commit as a whole.
std::span<const Mutant> commit_mutants();
// Found by rules of the simulator, which knows whose worker is whose.
std::span<const Mutant> cluster_mutants();

}  // namespace longshore::checker
