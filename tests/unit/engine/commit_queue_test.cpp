#include "engine/commit_queue.h"

#include "unit/engine/stepped_engine.h"

namespace longshore {
namespace {

class GroupCommit : public SteppedEngine {};

TEST_F(GroupCommit, RingsWhenThereIsSomethingToCommitAndDoesNothingWithout) {
  EXPECT_FALSE(engine->commit_once());
  EXPECT_EQ(store->commits, 0);
  enqueue(new_job());
  EXPECT_GT(committer.rings, 0);
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

TEST_F(GroupCommit, EndsACommitAtItsLimitAndGoesOnWithTheNext) {
  restart({.jobs_per_commit = 4});
  for (int i = 0; i < 10; ++i) enqueue(new_job());
  commit_all();
  EXPECT_EQ(store->sizes, (std::vector<std::size_t>{4, 4, 2}));
}

TEST_F(GroupCommit, CommitsAGroupThatIsLargerThanACommitAlone) {
  restart({.jobs_per_commit = 4});
  Enqueue large{.ns = "ns", .jobs = {}};
  for (int i = 0; i < 9; ++i) large.jobs.push_back(new_job());
  const auto answer = submit(std::move(large));
  enqueue(new_job());
  commit_all();
  EXPECT_EQ(store->sizes, (std::vector<std::size_t>{1, 1}));
  EXPECT_EQ(std::get<Enqueued>(answer->answer->value().verdict).jobs.size(), 9U);
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

TEST_F(GroupCommit, TellsEverybodyWhenTheStoreFails) {
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
