// The proof that a storm bites: over a store in memory with something wrong, and that it took a
// wide one.
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
#include "storm/weather.h"

namespace longshore::storm {
namespace {

constexpr std::uint64_t seeds_for_a_mutant = 5;
constexpr int way_millis = 2;  // to the store and back

// One disk and one mutant for every node. A commit takes a moment, as it does over a network.
struct Sea {
  explicit Sea(const checker::MutantMaker& mutant) {
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

class Ship final : public Backend, private Store {
 public:
  explicit Ship(Sea& sea) : sea_(sea) {}

  Store& store() override { return *this; }
  Catalog& catalog() override { return sea_.backend->catalog(); }
  Wakeups& wakeups() override { return sea_.backend->wakeups(); }
  std::shared_ptr<const StoredRules> rules() const override { return sea_.backend->rules(); }

 private:
  Result<Committed> commit(std::span<const Command> commands) override {
    ::poll(nullptr, 0, way_millis);
    MutexLock lock(sea_.mutex);
    return sea_.store->commit(commands);
  }
  const Capabilities& capabilities() const override { return sea_.backend->store().capabilities(); }

  Sea& sea_;
};

// Where something is wrong not everything ends, and `rounds` says when that is certain enough.
Storm sail(const checker::MutantMaker& mutant, std::uint64_t seed, bool wide, int rounds = 300) {
  Sea sea(mutant);
  return weather({.open = [&]() -> Result<std::unique_ptr<Backend>> {
                    return std::unique_ptr<Backend>(std::make_unique<Ship>(sea));
                  },
                  .blows = 5,
                  .seed = seed,
                  .wide = wide,
                  .one_lane = true,
                  .rounds = rounds,
                  .blow = [] {}});
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

TEST(StormProof, FindsNothingInTheTrueStore) {
  for (const bool wide : {false, true}) {
    const Storm storm = sail(checker::no_mutation(), 1, wide, 10'000);
    EXPECT_EQ(storm.problem, "");
    EXPECT_EQ(storm.unended, 0);
    EXPECT_TRUE(storm.judgement.valid()) << checker::to_text(storm.judgement);
    print_line(to_text(storm, wide ? "wide, no blows" : "narrow, no blows"));
  }
}

TEST(StormProof, FindsEveryMutantOfAWholeCommit) {
  for (const checker::Mutant& mutant : checker::commit_mutants()) {
    std::uint64_t seed = 1;
    Storm storm = sail(mutant.make, seed, true);
    while (storm.judgement.violation_count == 0 && seed < seeds_for_a_mutant) {
      storm = sail(mutant.make, ++seed, true);
    }
    EXPECT_GT(storm.judgement.violation_count, 0) << mutant.name << " was not found";
    print_line(
        fmt::format("  {:<40} found by {} after {} storms", mutant.name, first_rule(storm), seed));
  }
}

TEST(StormProof, FindsNoMutantOfAWholeCommitWithSingleCommands) {
  for (const checker::Mutant& mutant : checker::commit_mutants()) {
    const Storm storm = sail(mutant.make, 1, false);
    EXPECT_EQ(storm.judgement.violation_count, 0) << mutant.name << "\n"
                                                  << checker::to_text(storm.judgement);
  }
}

}  // namespace
}  // namespace longshore::storm
