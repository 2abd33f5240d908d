// Very many elements at the heads of lists that a claim has to pass over: stale ones, jobs of a
// type of which no more may run, jobs that are too young. What a run of a script costs does not
// depend on how many there are.
#include "redis/long_lists.h"

namespace longshore::redis_test {
namespace {

// Stale elements that one run of a script may look at, and the few other jobs that it reads.
constexpr std::int64_t reads_per_script = 2'100;

TEST_F(RedisLongLists, AClaimFindsAJobBehindStaleOnesInBoundedScripts) {
  make_stale();
  const JobId live = enqueue();
  begin_count();
  std::vector<JobId> got;
  for (int i = 0; i < list_length && got.empty(); ++i) got = claim(1);
  EXPECT_EQ(got, std::vector<JobId>{live});
  EXPECT_LE(reads(), reads_per_script * scripts());
  EXPECT_EQ(length(), 0);
  EXPECT_TRUE(findings().empty());
}

TEST_F(RedisLongLists, AClaimThatFindsNothingTakesStaleOnesOff) {
  make_stale();
  begin_count();
  EXPECT_TRUE(claim(1).empty());
  EXPECT_LT(length(), list_length);
  EXPECT_LE(reads(), reads_per_script * scripts());
  for (int i = 0; i < list_length && length() > 0; ++i) EXPECT_TRUE(claim(1).empty());
  EXPECT_EQ(length(), 0);
  EXPECT_TRUE(findings().empty());
}

TEST_F(RedisLongLists, OtherQueuesAreServedBesideStaleHeads) {
  make_stale();
  const JobId other = enqueue(plain("work", "other"));
  begin_count();
  const auto verdicts = send_all({claim_of("default"), claim_of("other")});
  EXPECT_TRUE(std::get<Leased>(verdicts[0]).leases.empty());
  const auto& leases = std::get<Leased>(verdicts[1]).leases;
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0].job, other);
  EXPECT_LE(reads(), reads_per_script * scripts());
}

// A job of a queue that a claim names first goes first, however much stands before it.
TEST_F(RedisLongLists, AClaimOfTwoQueuesKeepsTheirOrder) {
  make_stale();
  const JobId first = enqueue();
  const JobId second = enqueue(plain("work", "other"));
  std::vector<JobId> got;
  for (int i = 0; i < list_length && got.size() < 2; ++i) {
    Claim both = claim_of("default");
    both.queues = {"default", "other"};
    const Verdict verdict = send(both);
    for (const Lease& held : std::get<Leased>(verdict).leases) got.push_back(held.job);
  }
  EXPECT_EQ(got, (std::vector<JobId>{first, second}));
}

TEST_F(RedisLongLists, ASweepTakesStaleOnesOffWhereNobodyClaims) {
  make_stale();
  const JobId live = enqueue();
  Swept swept = sweep();
  EXPECT_TRUE(swept.more);
  EXPECT_EQ(swept.count, 0);
  for (int i = 0; i < list_length && swept.more; ++i) swept = sweep();
  EXPECT_EQ(length(), 1);
  EXPECT_TRUE(findings().empty());
  EXPECT_EQ(claim(2), std::vector<JobId>{live});
}

TEST_F(RedisLongLists, CountsThoseAheadInBoundedScripts) {
  make_stale();
  enqueue();
  const JobId last = enqueue();
  begin_count();
  const auto ahead = backend_->catalog().ahead("default", last, 1000);
  ASSERT_TRUE(ahead.ok()) << ahead.error().message;
  EXPECT_EQ(*ahead, 1);
  EXPECT_LE(reads(), reads_per_script * scripts());
}

TEST_F(RedisLongLists, AClaimDoesNotReadTheBacklogOfAFullType) {
  limit_type("work", 1);
  enqueue_many(plain());
  const JobId other = enqueue(plain("other"));
  const Lease running = lease(1).at(0);
  EXPECT_EQ(running.type, "work");
  begin_count();
  EXPECT_EQ(claim(10), std::vector<JobId>{other});
  EXPECT_TRUE(claim(10).empty());
  EXPECT_LT(reads(), 100);
  const auto verdicts = send_all(
      {Complete{.ns = "default", .job = running.job, .token = running.token}, claim_of("default")});
  EXPECT_EQ(std::get<Leased>(verdicts[1]).leases.size(), 1u);
  EXPECT_LT(reads(), 200);
}

// The limit is reached by a claim of the same batch.
TEST_F(RedisLongLists, ATypeThatBecomesFullHidesNoOther) {
  limit_type("work", 1);
  enqueue_many(plain());
  const JobId other = enqueue(plain("other"));
  begin_count();
  const auto verdicts = send_all({claim_of("default"), claim_of("default"), claim_of("default")});
  EXPECT_EQ(std::get<Leased>(verdicts[0]).leases.at(0).type, "work");
  const auto& leases = std::get<Leased>(verdicts[1]).leases;
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0].job, other);
  EXPECT_TRUE(std::get<Leased>(verdicts[2]).leases.empty());
  EXPECT_LT(reads(), 200);
}

TEST_F(RedisLongLists, AClaimForOldJobsDoesNotReadAllYoungOnes) {
  NewJob old = plain();
  old.priority = 7;
  enqueue(old);
  clock_.advance(Duration::hours(2));
  enqueue_many(plain());
  begin_count();
  Claim claim = claim_of("default");
  claim.queued_for = Duration::hours(1);
  const auto leases = std::get<Leased>(send(claim)).leases;
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0].job, old.id);
  EXPECT_LT(reads(), 200);
}

// Released jobs go to the head, and a claim for old ones passes them over: what is stale behind
// them must go nevertheless, and they must stay where they are.
TEST_F(RedisLongLists, AClaimForOldJobsComesPastStaleOnesBehindReleasedOnes) {
  enqueue(plain());
  enqueue(plain());
  // Held until the others are old.
  Claim both = claim_of("default");
  both.limit = 2;
  both.lease = Duration::minutes(25);
  const std::vector<Lease> young = std::get<Leased>(send(both)).leases;
  ASSERT_EQ(young.size(), 2u);
  make_stale();
  const JobId old = enqueue();
  clock_.advance(Duration::minutes(20));
  for (const Lease& held : young) {
    send(Release{
        .ns = "default", .job = held.job, .token = held.token, .checkpoint = {}, .log = {}});
  }
  begin_count();
  Claim claim_old = claim_of("default");
  claim_old.queued_for = Duration::minutes(10);
  std::vector<Lease> got;
  for (int i = 0; i < list_length / 1000 && got.empty(); ++i) {
    got = std::get<Leased>(send(claim_old)).leases;
  }
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].job, old);
  EXPECT_LE(reads(), reads_per_script * scripts());
  EXPECT_EQ(length(), 3) << "the released ones, and what the job has left behind them";
  EXPECT_TRUE(findings().empty());
  EXPECT_EQ(claim(2), (std::vector<JobId>{young[1].job, young[0].job}));
}

}  // namespace
}  // namespace longshore::redis_test
