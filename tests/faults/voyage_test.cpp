// A voyage on which nothing happens proves nothing, so what happens on it is counted here.
#include "faults/voyage.h"

#include <gtest/gtest.h>

#include <set>

#include "core/clock.h"
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
    for (const Happened& happened : committed->happened) {
      into.causes.insert(happened.transition.cause);
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

constexpr Instant first_day = Instant::millis(1'767'225'600'000);
const Command start_node = StartNode{.node = {1, 1}, .name = "harbour"};

// Something to prune, and the question when: a store that waits does not say.
std::vector<Command> cancel_and_prune(Instant now) {
  SeededRandom random(1);
  const JobId job = JobIds(random).next(now);
  Enqueue enqueue{.ns = "main"};
  enqueue.jobs.push_back({.id = job, .type = "mail"});
  enqueue.jobs.back().body.payload = "null";
  return {enqueue, Cancel{.ns = "main", .job = job}, Prune{.limit = 10}};
}

// What the worlds say of a store on this disk that is opened a week later.
std::string found_a_week_later(Worlds& worlds, ManualClock& clock, MemoryDisk& disk) {
  clock.advance(Duration::days(7));
  worlds.reopened();
  const auto backend = open_memory(disk, clock, Rules{});
  if (!backend.ok()) return backend.error().message;
  const std::vector<Command> commands = cancel_and_prune(clock.now());
  const auto committed = (*backend)->store().commit(commands);
  if (!committed.ok()) return committed.error().message;
  worlds.acknowledged(commands, *committed);
  return worlds.contradiction();
}

TEST(Worlds, TakeAStoreWhoseFirstCommitIsLostForANewOne) {
  ManualClock clock(first_day);
  Worlds worlds(clock, Rules{});
  worlds.reopened();
  worlds.in_doubt({&start_node, 1});
  MemoryDisk nothing;
  EXPECT_EQ(found_a_week_later(worlds, clock, nothing), "");
}

TEST(Worlds, ExpectAStoreThatWasClosedForLongToWaitBeforeItPrunes) {
  ManualClock clock(first_day);
  Worlds worlds(clock, Rules{});
  worlds.closed(Worlds::Closing::done);
  MemoryDisk nothing;
  EXPECT_EQ(found_a_week_later(worlds, clock, nothing),
            "an acknowledged commit contradicts earlier ones: command 2 is answered: swept with "
            "next 2026-01-15T00:00:00.000Z; expected next none");
}

TEST(Worlds, AllowTheTimeOfAClosingThatMayHaveFailedToBeMissing) {
  for (const auto closing : {Worlds::Closing::done, Worlds::Closing::perhaps_failed}) {
    ManualClock clock(first_day);
    Worlds worlds(clock, Rules{});
    worlds.closed(closing);
    MemoryDisk nothing;
    const std::string contradiction = found_a_week_later(worlds, clock, nothing);
    EXPECT_EQ(contradiction.empty(), closing == Worlds::Closing::perhaps_failed) << contradiction;
  }
}

// Of a commit of new jobs alone, a full disk may leave the time of the commit.
TEST(Worlds, AllowTheTimeAloneToBeWrittenWhereTheDiskMayHaveBeenFull) {
  ManualClock clock(first_day);
  Worlds worlds(clock, Rules{});
  MemoryDisk disk;
  {
    const auto backend = open_memory(disk, clock, Rules{});
    ASSERT_TRUE(backend.ok());
    const auto committed = (*backend)->store().commit({&start_node, 1});
    ASSERT_TRUE(committed.ok());
    worlds.acknowledged({&start_node, 1}, *committed);
    clock.advance(Duration::days(7));
    Voyage voyage(1);
    voyage.next(clock.now());
    worlds.in_doubt(voyage.next(clock.now()), Worlds::Room::perhaps_none);
    ASSERT_TRUE((*backend)->store().commit({}).ok());
  }
  worlds.reopened();
  const auto backend = open_memory(disk, clock, Rules{});
  ASSERT_TRUE(backend.ok());
  const std::vector<Command> commands = cancel_and_prune(clock.now());
  const auto committed = (*backend)->store().commit(commands);
  ASSERT_TRUE(committed.ok());
  worlds.acknowledged(commands, *committed);
  EXPECT_EQ(worlds.contradiction(), "");
}

}  // namespace
}  // namespace longshore::faults
