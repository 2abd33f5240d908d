// A voyage on which nothing happens proves nothing, so what happens on it is counted here.
#include "faults/voyage.h"

#include <gtest/gtest.h>

#include <set>

#include "core/time/clock.h"
#include "faults/worlds.h"
#include "store/memory/store.h"

namespace longshore::faults {
namespace {

struct Sailed {
  std::set<std::size_t> verbs;     // sent and not refused, by their place in Command
  std::set<std::size_t> verdicts;  // by their place in Verdict
  std::set<Cause> causes;
  std::string contradiction;
};

void sail(std::uint64_t seed, Sailed& into) {
  MemoryDisk disk;
  ManualClock clock(Instant::millis(1'767'225'600'000));
  const auto backend = open_memory(disk, clock, Rules{});
  ASSERT_TRUE(backend.ok());
  Worlds worlds(clock, Rules{});
  Voyage voyage(seed);
  for (int n = 0; n < 60; ++n) {
    clock.advance(voyage.pause());
    const std::vector<Command> commands = voyage.next(clock.now());
    const auto committed = (*backend)->store().commit(commands);
    ASSERT_TRUE(committed.ok());
    voyage.learn(*committed);
    worlds.acknowledged(commands, *committed);
    for (std::size_t at = 0; at < commands.size(); ++at) {
      into.verdicts.insert(committed->verdicts[at].index());
      if (committed->verdicts[at].index() != 0) into.verbs.insert(commands[at].index());
    }
    for (const JobEvent& events : committed->events) {
      into.causes.insert(events.transition.cause);
    }
  }
  worlds.look((*backend)->catalog(), {.logs = true});
  if (!worlds.contradiction().empty()) into.contradiction = worlds.contradiction();
}

TEST(Voyage, SendsEveryVerbOfAOnePhaseStoreAndGetsEveryAnswer) {
  Sailed sailed;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) sail(seed, sailed);
  EXPECT_EQ(sailed.contradiction, "");
  // All commands but Accept, which is of two-phase stores, the three that keep tokens, and
  // SetRules, which would make each opening a matter of the rules of that moment.
  EXPECT_EQ(sailed.verbs.size(), std::variant_size_v<Command> - 5);
  EXPECT_EQ(sailed.verdicts.size(), std::variant_size_v<Verdict>);
  EXPECT_GE(sailed.causes.size(), 14U);
}

TEST(Worlds, SeesAnAcknowledgedCommitThatIsMissing) {
  MemoryDisk disk;
  ManualClock clock(Instant::millis(1'767'225'600'000));
  const auto backend = open_memory(disk, clock, Rules{});
  ASSERT_TRUE(backend.ok());
  Worlds worlds(clock, Rules{});
  Voyage voyage(1);
  const std::vector<Command> first = voyage.next(clock.now()), second = voyage.next(clock.now());
  worlds.in_doubt(first);
  EXPECT_EQ(worlds.count(), 2U) << "it happened, or it did not";
  const auto committed = (*backend)->store().commit(first);
  ASSERT_TRUE(committed.ok());
  worlds.look((*backend)->catalog(), {.logs = true});
  EXPECT_EQ(worlds.count(), 1U);
  worlds.acknowledged(second, Committed{});
  EXPECT_NE(worlds.contradiction(), "");
}

TEST(Worlds, AllowsNewJobsToBeMissingWhereTheDiskMayHaveBeenFull) {
  MemoryDisk disk;
  ManualClock clock(Instant::millis(1'767'225'600'000));
  const auto backend = open_memory(disk, clock, Rules{});
  ASSERT_TRUE(backend.ok());
  Voyage voyage(1);
  voyage.next(clock.now());
  std::vector<Command> both = voyage.next(clock.now());
  ASSERT_TRUE(std::holds_alternative<Enqueue>(both.at(0)));
  const Command node = SeeNode{.node = {1, 1}, .name = "harbour"};
  both.push_back(node);
  Worlds roomy(clock, Rules{}), full(clock, Rules{});
  roomy.in_doubt(both);
  full.in_doubt(both, Worlds::Room::perhaps_none);
  ASSERT_TRUE((*backend)->store().commit(std::span(&node, 1)).ok());
  for (Worlds* worlds : {&roomy, &full}) worlds->look((*backend)->catalog(), {});
  EXPECT_NE(roomy.contradiction(), "");
  EXPECT_EQ(full.contradiction(), "");
}

}  // namespace
}  // namespace longshore::faults
