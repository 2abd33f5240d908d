// Stores with one defect each, which the checker must find.
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

// The real store and its disk. A mutant alters the disk between two calls of the real store.
struct StoreParts {
  MemoryDisk& disk;
  Store& store;
  Clock& clock;
  const Rules& rules;
  Random& random;
};

// Without a defect: the real store.
class MutantStore : public Store {
 public:
  explicit MutantStore(const StoreParts& parts) : parts_(parts) {}

  Result<Committed> commit(std::span<const Command> commands) override;
  const Capabilities& capabilities() const override { return parts_.store.capabilities(); }
  // The node crashes and loses its memory.
  virtual void crash() {}
  // Leaves the job out when the dead letters are listed.
  virtual bool hides(const Job&) const { return false; }

 protected:
  // Executes a commit; by default each command on its own and in order.
  virtual std::vector<Verdict> judge_all(std::span<const Command> commands);
  virtual Verdict judge(const Command& command) { return obey(command); }

  // Calls the real store.
  Verdict obey(const Command& command);
  Instant now();
  memory::Step step(const Rules& rules);
  // The job as it is stored; null if there is none.
  const Job* find(const JobId& id) const;
  StoreParts parts_;

 private:
  std::vector<JobEvent> events_;  // of the current commit
};

using MutantMaker = std::function<std::unique_ptr<MutantStore>(const StoreParts&)>;

template <class T>
MutantMaker maker_of() {
  return [](const StoreParts& parts) { return std::make_unique<T>(parts); };
}

struct Mutant {
  std::string_view name;
  std::string_view rule;  // that must find it; others may too
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
// Of these, the ones that single commands show too.
std::span<const Mutant> settings_mutants();
std::span<const Mutant> set_back_mutants();
// And the ones of whole commits.
std::span<const Mutant> commit_mutants();
// Found by rules of the simulator, which knows whose worker is whose.
std::span<const Mutant> cluster_mutants();

}  // namespace longshore::checker
