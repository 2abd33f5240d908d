// Verifies that a random workload covers all commands and verdicts.
#include "faults/random_workload.h"

#include <gtest/gtest.h>

#include <set>

#include "core/time/clock.h"
#include "faults/possible_states.h"
#include "store/memory/store.h"

namespace longshore::faults {
namespace {

struct Coverage {
  std::set<std::size_t> verbs;     // accepted commands, by their index in Command
  std::set<std::size_t> verdicts;  // by their index in Verdict
  std::set<Cause> causes;
  std::string contradiction;
};

void run_workload(std::uint64_t seed, Coverage& into) {
  MemoryDisk disk;
  ManualClock clock(Instant::millis(1'767'225'600'000));
  const auto backend = open_memory(disk, clock, Rules{});
  ASSERT_TRUE(backend.ok());
  PossibleStates states(clock, Rules{});
  RandomWorkload workload(seed);
  for (int n = 0; n < 60; ++n) {
    clock.advance(workload.pause());
    const std::vector<Command> commands = workload.next(clock.now());
    const auto committed = (*backend)->store().commit(commands);
    ASSERT_TRUE(committed.ok());
    workload.learn(*committed);
    states.acknowledged(commands, *committed);
    for (std::size_t at = 0; at < commands.size(); ++at) {
      into.verdicts.insert(committed->verdicts[at].index());
      if (committed->verdicts[at].index() != 0) into.verbs.insert(commands[at].index());
    }
    for (const JobEvent& events : committed->events) {
      into.causes.insert(events.transition.cause);
    }
  }
  states.compare_with((*backend)->catalog(), {.logs = true});
  if (!states.contradiction().empty()) into.contradiction = states.contradiction();
}

TEST(RandomWorkload, CoversEveryCommandAndVerdictOfAOnePhaseStore) {
  Coverage sailed;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) run_workload(seed, sailed);
  EXPECT_EQ(sailed.contradiction, "");
  // All commands but Accept, which is for two-phase stores, the three that manage tokens, and
  // SetRules, which would make each opening depend on the current rules.
  EXPECT_EQ(sailed.verbs.size(), std::variant_size_v<Command> - 5);
  EXPECT_EQ(sailed.verdicts.size(), std::variant_size_v<Verdict>);
  EXPECT_GE(sailed.causes.size(), 14U);
}

TEST(PossibleStates, DetectAMissingAcknowledgedCommit) {
  MemoryDisk disk;
  ManualClock clock(Instant::millis(1'767'225'600'000));
  const auto backend = open_memory(disk, clock, Rules{});
  ASSERT_TRUE(backend.ok());
  PossibleStates states(clock, Rules{});
  RandomWorkload workload(1);
  const std::vector<Command> first = workload.next(clock.now()),
                             second = workload.next(clock.now());
  states.in_doubt(first);
  EXPECT_EQ(states.count(), 2U) << "with and without the commit";
  const auto committed = (*backend)->store().commit(first);
  ASSERT_TRUE(committed.ok());
  states.compare_with((*backend)->catalog(), {.logs = true});
  EXPECT_EQ(states.count(), 1U);
  states.acknowledged(second, Committed{});
  EXPECT_NE(states.contradiction(), "");
}

TEST(PossibleStates, AllowMissingNewJobsIfTheDiskMayHaveBeenFull) {
  MemoryDisk disk;
  ManualClock clock(Instant::millis(1'767'225'600'000));
  const auto backend = open_memory(disk, clock, Rules{});
  ASSERT_TRUE(backend.ok());
  RandomWorkload workload(1);
  workload.next(clock.now());
  std::vector<Command> both = workload.next(clock.now());
  ASSERT_TRUE(std::holds_alternative<Enqueue>(both.at(0)));
  const Command node = SeeNode{.node = {1, 1}, .name = "harbour"};
  both.push_back(node);
  PossibleStates roomy(clock, Rules{}), full(clock, Rules{});
  roomy.in_doubt(both);
  full.in_doubt(both, PossibleStates::Room::perhaps_none);
  ASSERT_TRUE((*backend)->store().commit(std::span(&node, 1)).ok());
  for (PossibleStates* states : {&roomy, &full}) states->compare_with((*backend)->catalog(), {});
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
std::string found_a_week_later(PossibleStates& worlds, ManualClock& clock, MemoryDisk& disk) {
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

TEST(PossibleStates, TakeAStoreWhoseFirstCommitIsLostForANewOne) {
  ManualClock clock(first_day);
  PossibleStates worlds(clock, Rules{});
  worlds.reopened();
  worlds.in_doubt({&start_node, 1});
  MemoryDisk nothing;
  EXPECT_EQ(found_a_week_later(worlds, clock, nothing), "");
}

TEST(PossibleStates, ExpectAStoreThatWasClosedForLongToWaitBeforeItPrunes) {
  ManualClock clock(first_day);
  PossibleStates worlds(clock, Rules{});
  worlds.closed(PossibleStates::Closing::done);
  MemoryDisk nothing;
  EXPECT_EQ(found_a_week_later(worlds, clock, nothing),
            "an acknowledged commit contradicts earlier ones: command 2 is answered: swept with "
            "next 2026-01-15T00:00:00.000Z; expected next none");
}

TEST(PossibleStates, AllowTheTimeOfAClosingThatMayHaveFailedToBeMissing) {
  for (const auto closing :
       {PossibleStates::Closing::done, PossibleStates::Closing::perhaps_failed}) {
    ManualClock clock(first_day);
    PossibleStates worlds(clock, Rules{});
    worlds.closed(closing);
    MemoryDisk nothing;
    const std::string contradiction = found_a_week_later(worlds, clock, nothing);
    EXPECT_EQ(contradiction.empty(), closing == PossibleStates::Closing::perhaps_failed)
        << contradiction;
  }
}

// Of a commit of new jobs alone, a full disk may leave the time of the commit.
TEST(PossibleStates, AllowTheTimeAloneToBeWrittenWhereTheDiskMayHaveBeenFull) {
  ManualClock clock(first_day);
  PossibleStates worlds(clock, Rules{});
  MemoryDisk disk;
  {
    const auto backend = open_memory(disk, clock, Rules{});
    ASSERT_TRUE(backend.ok());
    const auto committed = (*backend)->store().commit({&start_node, 1});
    ASSERT_TRUE(committed.ok());
    worlds.acknowledged({&start_node, 1}, *committed);
    clock.advance(Duration::days(7));
    RandomWorkload workload(1);
    workload.next(clock.now());
    worlds.in_doubt(workload.next(clock.now()), PossibleStates::Room::perhaps_none);
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
