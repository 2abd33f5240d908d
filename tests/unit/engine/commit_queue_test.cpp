#include "engine/commit_queue.h"

#include <algorithm>

#include "unit/engine/stepped_engine.h"

namespace longshore {
namespace {

class GroupCommit : public SteppedEngine {
 protected:
  // Larger than a whole commit.
  Enqueue large_group(int size = 9) {
    Enqueue large{.ns = "ns", .jobs = {}};
    for (int i = 0; i < size; ++i) large.jobs.push_back(new_job());
    return large;
  }
  template <class Wanted>
  std::size_t in_last_commit() const {
    return static_cast<std::size_t>(std::ranges::count_if(store->last, [](const Command& command) {
      return std::holds_alternative<Wanted>(command);
    }));
  }
};

TEST_F(GroupCommit, WakesTheCommitterOnlyIfThereIsSomethingToCommit) {
  EXPECT_FALSE(engine->commit_once());
  EXPECT_EQ(store->commits, 0);
  enqueue(new_job());
  EXPECT_GT(committer.wakes, 0);
  EXPECT_TRUE(engine->commit_once());
}

TEST_F(GroupCommit, CommitsALoneCommandAtOnceAndTogetherWhatGathered) {
  const auto first = enqueue(new_job());
  engine->commit_once();
  EXPECT_TRUE(first->came());
  for (int i = 0; i < 10; ++i) enqueue(new_job());
  engine->commit_once();
  EXPECT_EQ(store->sizes, (std::vector<std::size_t>{1, 10}));
}

TEST_F(GroupCommit, PutsSettlingFirstAndClaimsLast) {
  enqueue(new_job());
  commit_all();
  const auto leased = claim(new_claim(), Duration());
  commit_all();
  const auto waiting = claim(new_claim(), Duration());
  enqueue(new_job());
  submit(Complete{.ns = "ns", .job = leased->lease().job, .token = leased->lease().token});
  engine->commit_once();
  ASSERT_EQ(store->last.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<Complete>(store->last[0]));
  EXPECT_TRUE(std::holds_alternative<Enqueue>(store->last[1]));
  EXPECT_TRUE(std::holds_alternative<Claim>(store->last[2]));
  EXPECT_EQ(waiting->leases(), 1U) << "the claim finds what the same commit brought";
}

TEST_F(GroupCommit, AnswersACommandThatFailedAloneWithItsOwnError) {
  const auto first = enqueue(new_job());
  const auto second = enqueue(new_job());
  const auto third = enqueue(new_job());
  store->errors = {std::nullopt, Error{Errc::unavailable, "its server is gone"}, std::nullopt};
  engine->commit_once();
  EXPECT_TRUE(first->answer->ok());
  ASSERT_FALSE(second->answer->ok());
  EXPECT_EQ(second->answer->error().message, "its server is gone");
  EXPECT_TRUE(third->answer->ok());
}

TEST_F(GroupCommit, TakesClaimsOfManyQueuesAndTypesInTurnsBesideTheOthers) {
  restart({.lookups_per_commit = 10});
  Claim wide = new_claim();
  wide.queues = {"a", "b"};
  wide.types = {"x", "y", "z"};
  for (int i = 0; i < 3; ++i) {
    wide.id = new_claim().id;
    claim(wide, Duration());
  }
  const auto other = enqueue(new_job());
  engine->commit_once();
  EXPECT_TRUE(other->came()) << "it does not wait behind the claims";
  commit_all();
  EXPECT_EQ(store->sizes, (std::vector<std::size_t>{2, 1, 1}));
}

TEST_F(GroupCommit, RejectsNothingBecauseOfClaimsOfManyQueues) {
  Claim wide = new_claim();
  wide.queues = std::vector<std::string>(100, "a");
  claim(wide, Duration());
  EXPECT_EQ(engine->commits_waiting(), 0U);
  claim(new_claim(), Duration());
  EXPECT_EQ(engine->commits_waiting(), 1U);
  commit_all();
  EXPECT_EQ(engine->commits_waiting(), 0U);
}

TEST_F(GroupCommit, ReportsErrorsOfWholeAndPartialCommits) {
  std::vector<std::string> told;
  engine->listen_for_failures([&](const Error& error) { told.push_back(error.message); });
  enqueue(new_job());
  engine->commit_once();
  EXPECT_TRUE(told.empty());
  enqueue(new_job());
  enqueue(new_job());
  store->errors = {std::nullopt, Error{Errc::unavailable, "its server is gone"}};
  engine->commit_once();
  store->errors.clear();
  store->failure = Error{Errc::unavailable, "all are gone"};
  enqueue(new_job());
  engine->commit_once();
  EXPECT_EQ(told, (std::vector<std::string>{"its server is gone", "all are gone"}));
}

TEST_F(GroupCommit, TakesAFewCommandsOfABulkBesideTheOthersAndMoreWhenItIsIdle) {
  restart({.bulk_per_commit = 2, .bulk_per_idle_commit = 5});
  const JobId job = new_job().id;
  for (int i = 0; i < 9; ++i) {
    engine->submit_bulk(Cancel{.ns = "ns", .job = job}, [](const Result<Answered>&) {});
  }
  EXPECT_EQ(engine->commits_waiting(), 0U) << "nobody is turned away because of a bulk";
  const auto first = enqueue(new_job());
  engine->commit_once();
  EXPECT_TRUE(first->came()) << "it does not wait behind a bulk";
  commit_all();
  EXPECT_EQ(store->sizes, (std::vector<std::size_t>{3, 5, 2}));
}

TEST_F(GroupCommit, CommitsTogetherAndInOrderWhatWasSubmittedInOrder) {
  enqueue(new_job());
  commit_all();
  const auto leased = claim(new_claim(), Duration());
  commit_all();
  std::vector<BoxRef> boxes;
  std::vector<Entry> entries;
  for (const char* result : {"1", "2", "3"}) {
    boxes.push_back(std::make_shared<Box>());
    entries.push_back({Complete{.ns = "ns",
                                .job = leased->lease().job,
                                .token = leased->lease().token,
                                .result = result},
                       into(boxes.back())});
  }
  engine->submit_in_order(std::move(entries));
  EXPECT_EQ(engine->commits_waiting(), 3U);
  engine->commit_once();
  EXPECT_EQ(store->last.size(), 3U);
  EXPECT_TRUE(std::holds_alternative<Settled>(boxes[0]->answer->value().verdict));
  EXPECT_TRUE(std::holds_alternative<Refusal>(boxes[1]->answer->value().verdict));
  EXPECT_EQ(engine->commits_waiting(), 0U);
  engine->stop();
  auto late = std::make_shared<Box>();
  std::vector<Entry> one;
  one.push_back({Complete{.ns = "ns", .job = leased->lease().job}, into(late)});
  engine->submit_in_order(std::move(one));
  EXPECT_EQ(late->answer->error().code, Errc::unavailable);
}

TEST_F(GroupCommit, EndsACommitAtItsLimitAndContinuesInTheNext) {
  restart({.jobs_per_commit = 4});
  for (int i = 0; i < 10; ++i) enqueue(new_job());
  commit_all();
  EXPECT_EQ(store->sizes, (std::vector<std::size_t>{4, 4, 2}));
}

TEST_F(GroupCommit, CommitsAGroupThatIsLargerThanACommitAlone) {
  restart({.jobs_per_commit = 4});
  const auto answer = submit(large_group());
  enqueue(new_job());
  commit_all();
  EXPECT_EQ(store->sizes, (std::vector<std::size_t>{1, 1}));
  EXPECT_EQ(std::get<Enqueued>(answer->answer->value().verdict).jobs.size(), 9U);
}

TEST_F(GroupCommit, HasAPlaceForUpkeepBesideGroupsLargerThanACommit) {
  restart({.jobs_per_commit = 4});
  for (int i = 0; i < 10; ++i) {
    submit(large_group());
    const auto due = submit(Due{});
    const auto reaped = submit(Reap{});
    engine->commit_once();
    EXPECT_TRUE(due->came() && reaped->came());
    EXPECT_EQ(in_last_commit<Enqueue>(), 1U) << "one large group in a commit";
  }
}

TEST_F(GroupCommit, TakesSoMuchUpkeepIntoACommitAndNoMore) {
  restart({.jobs_per_commit = 4, .upkeep_per_commit = 2});
  for (int i = 0; i < 5; ++i) submit(Sweep{});
  for (int i = 0; i < 4; ++i) enqueue(new_job());
  commit_all();
  EXPECT_EQ(store->sizes, (std::vector<std::size_t>{6, 2, 1}));
}

TEST_F(GroupCommit, TakesUpkeepWhenThereIsNoRoomForNewWork) {
  restart({.jobs_waiting = 2, .upkeep_waiting = 2});
  enqueue(new_job());
  enqueue(new_job());
  ASSERT_TRUE(enqueue(new_job())->came()) << "there is no room";
  const auto due = submit(Due{});
  EXPECT_FALSE(due->came());
  submit(Reap{});
  EXPECT_EQ(submit(Sweep{})->answer->error().code, Errc::overloaded) << "upkeep has a bound too";
  commit_all();
  EXPECT_TRUE(due->answer->ok());
}

TEST_F(GroupCommit, PassesOverWhatDoesNotFitAndTakesWhatDoes) {
  restart({.jobs_per_commit = 4});
  submit(Complete{});  // the group is not alone
  const auto large = submit(large_group());
  const auto small = enqueue(new_job());
  engine->commit_once();
  EXPECT_TRUE(small->came());
  EXPECT_FALSE(large->came());
  engine->commit_once();
  EXPECT_TRUE(large->answer->ok());
}

TEST_F(GroupCommit, TakesALargeGroupAfterFourCommitsAlthoughItNeverFits) {
  restart({.jobs_per_commit = 4});
  const auto large = submit(large_group());
  const auto other = submit(large_group());
  int commits = 0;
  while (!(large->came() && other->came()) && commits < 20) {
    const auto settled = submit(Complete{});
    const auto small = enqueue(new_job());
    engine->commit_once();
    EXPECT_TRUE(settled->came()) << "what settles goes first, every time";
    EXPECT_LE(in_last_commit<Enqueue>(), 2U);
    commits += 1;
  }
  EXPECT_EQ(commits, 6) << "four passes, then one group in each commit";
}

TEST_F(GroupCommit, GivesClaimsTheirTurnUnderAStormOfSettlements) {
  restart({.jobs_per_commit = 4});
  enqueue(new_job());
  commit_all();
  const auto leased = claim(new_claim(), Duration());
  int commits = 0;
  while (!leased->came() && commits < 20) {
    for (int i = 0; i < 4; ++i) submit(Complete{});
    engine->commit_once();
    commits += 1;
  }
  EXPECT_EQ(commits, 5);
  EXPECT_EQ(leased->leases(), 1U);
}

TEST_F(GroupCommit, KeepsTheOrderOfWhatSettles) {
  restart({.jobs_per_commit = 4, .bytes_per_commit = 100});
  submit(Complete{.result = std::string(60, 'a')});
  const auto beat = submit(Heartbeat{.log = std::string(60, 'b')});
  const auto small = submit(Complete{});
  engine->commit_once();
  EXPECT_FALSE(beat->came() || small->came());
  engine->commit_once();
  EXPECT_TRUE(beat->came() && small->came());
}

TEST_F(GroupCommit, AnswersWhatWasPassedOverWhenStopped) {
  restart({.jobs_per_commit = 4});
  submit(Complete{});
  const auto large = submit(large_group());
  engine->commit_once();
  engine->stop();
  EXPECT_EQ(large->answer->error().code, Errc::unavailable);
}

TEST_F(GroupCommit, RefusesNewWorkWhenFullButNeverWhatSettles) {
  enqueue(new_job());
  commit_all();
  const auto leased = claim(new_claim(), Duration());
  commit_all();
  const Lease lease = leased->lease();
  restart({.jobs_waiting = 2});
  enqueue(new_job());
  enqueue(new_job());
  const auto refused = enqueue(new_job());
  ASSERT_TRUE(refused->came());
  EXPECT_EQ(refused->answer->error().code, Errc::overloaded);
  const auto settled = submit(Complete{.ns = "ns", .job = lease.job, .token = lease.token});
  EXPECT_FALSE(settled->came());
  commit_all();
  EXPECT_TRUE(settled->answer->ok());
  EXPECT_EQ(engine->commits_waiting(), 0U);
  const auto taken = enqueue(new_job());
  commit_all();
  EXPECT_TRUE(taken->answer->ok());
}

TEST_F(GroupCommit, HasRoomAgainForTheBytesThatWereCommitted) {
  restart({.bytes_waiting = 100});
  NewJob large = new_job();
  large.body.payload = '"' + std::string(70, 'x') + '"';
  for (int i = 0; i < 3; ++i) {
    large.id = new_job().id;
    enqueue(large);
    commit_all();
  }
  enqueue(new_job());  // something waits, or anything would be taken
  large.id = new_job().id;
  EXPECT_FALSE(enqueue(large)->came());
  large.id = new_job().id;
  const auto refused = enqueue(large);
  ASSERT_TRUE(refused->came());
  EXPECT_EQ(refused->answer->error().code, Errc::overloaded);
}

TEST_F(GroupCommit, AnswersEveryCommandIfTheStoreFails) {
  store->failure = Error{Errc::unavailable, "gone"};
  const auto one = enqueue(new_job());
  const auto two = enqueue(new_job());
  commit_all();
  EXPECT_EQ(one->answer->error().code, Errc::unavailable);
  EXPECT_EQ(two->answer->error().code, Errc::unavailable);
}

TEST_F(GroupCommit, MayBeStoppedBeforeAnythingCameAndTwice) {
  engine->stop();
  engine->stop();
  EXPECT_FALSE(engine->commit_once());
  EXPECT_EQ(enqueue(new_job())->answer->error().code, Errc::unavailable);
  EXPECT_EQ(store->commits, 0);
}

TEST_F(GroupCommit, AnswersWhatWaitsWhenStoppedAndTakesNothingMore) {
  const auto waiting = enqueue(new_job());
  engine->stop();
  engine->stop();
  EXPECT_EQ(waiting->answer->error().code, Errc::unavailable);
  EXPECT_EQ(enqueue(new_job())->answer->error().code, Errc::unavailable);
  EXPECT_FALSE(engine->commit_once());
}

}  // namespace
}  // namespace longshore
