// Proves that a storm finds bugs, with mutants of a store in memory, and that only a wide storm
// finds them.
#include "storm/storm.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "checker/mutant.h"
#include "core/ids/random.h"
#include "core/sync/mutex.h"
#include "core/time/clock.h"
#include "store/memory/store.h"

namespace longshore::storm {
namespace {

constexpr std::uint64_t seeds_for_a_mutant = 5;
constexpr int latency_millis = 2;  // of a round trip to the store

// One disk and one mutant for all nodes. A commit takes some time, as over a network.
struct SharedStore {
  explicit SharedStore(const checker::MutantMaker& mutant) {
    backend = std::move(*open_memory(disk, clock, rules));
    store = mutant({disk, backend->store(), clock, rules, random});
  }

  Mutex mutex;
  const Rules rules;
  SystemClock clock;
  SeededRandom random{1};
  MemoryDisk disk;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<checker::MutantStore> store LONGSHORE_GUARDED_BY(mutex);
};

class SharedStoreBackend final : public Backend, private Store {
 public:
  explicit SharedStoreBackend(SharedStore& shared) : shared_(shared) {}

  Store& store() override { return *this; }
  Catalog& catalog() override { return shared_.backend->catalog(); }
  Wakeups& wakeups() override { return shared_.backend->wakeups(); }
  std::shared_ptr<const StoredRules> rules() const override { return shared_.backend->rules(); }

 private:
  Result<Committed> commit(std::span<const Command> commands) override {
    ::poll(nullptr, 0, latency_millis);
    MutexLock lock(shared_.mutex);
    return shared_.store->commit(commands);
  }
  const Capabilities& capabilities() const override {
    return shared_.backend->store().capabilities();
  }

  SharedStore& shared_;
};

// With a mutant not every job ends; `rounds` says when to stop waiting.
Storm run_with(const checker::MutantMaker& mutant, std::uint64_t seed, bool wide,
               int rounds = 300) {
  SharedStore shared(mutant);
  return run_storm({.open = [&]() -> Result<std::unique_ptr<Backend>> {
                      return std::unique_ptr<Backend>(std::make_unique<SharedStoreBackend>(shared));
                    },
                    .faults = 5,
                    .seed = seed,
                    .wide = wide,
                    .serial_commits = true,
                    .rounds = rounds,
                    .inject_fault = [] {}});
}

std::string first_rule(const Storm& storm) {
  return storm.judgement.violations.empty() ? "" : storm.judgement.violations.front().rule;
}

void print_line(const std::string& line) {
  std::puts(line.c_str());
  const char* reports = std::getenv("LONGSHORE_REPORTS");
  if (reports == nullptr) return;
  const std::string path = std::string(reports) + "/storm_mutants.txt";
  if (std::FILE* file = std::fopen(path.c_str(), "a")) {
    std::fprintf(file, "%s\n", line.c_str());
    std::fclose(file);
  }
}

TEST(StormProof, FindsNoViolationInTheCorrectStore) {
  for (const bool wide : {false, true}) {
    const Storm storm = run_with(checker::no_mutation(), 1, wide, 10'000);
    EXPECT_EQ(storm.problem, "");
    EXPECT_EQ(storm.unended, 0);
    EXPECT_TRUE(storm.judgement.valid()) << checker::to_text(storm.judgement);
    print_line(to_text(storm, wide ? "wide, no faults" : "narrow, no faults"));
  }
}

TEST(StormProof, FindsEveryCommitMutantWithAWideStorm) {
  for (const checker::Mutant& mutant : checker::commit_mutants()) {
    std::uint64_t seed = 1;
    Storm storm = run_with(mutant.make, seed, true);
    while (storm.judgement.violation_count == 0 && seed < seeds_for_a_mutant) {
      storm = run_with(mutant.make, ++seed, true);
    }
    EXPECT_GT(storm.judgement.violation_count, 0) << mutant.name << " was not found";
    print_line(
        fmt::format("  {:<40} found by {} after {} storms", mutant.name, first_rule(storm), seed));
  }
}

TEST(StormProof, FindsNoCommitMutantWithSingleCommands) {
  for (const checker::Mutant& mutant : checker::commit_mutants()) {
    const Storm storm = run_with(mutant.make, 1, false);
    EXPECT_EQ(storm.judgement.violation_count, 0) << mutant.name << "\n"
                                                  << checker::to_text(storm.judgement);
  }
}

}  // namespace
}  // namespace longshore::storm
