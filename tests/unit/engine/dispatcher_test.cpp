#include "engine/dispatcher.h"

#include "unit/engine/stepped_engine.h"

namespace longshore {
namespace {

class WaitingClaims : public SteppedEngine {
 protected:
  void settle_in(Duration by) {
    clock.advance(by);
    engine->tick(now());
    commit_all();
  }
  static constexpr Duration minute = Duration::seconds(60);
};

TEST_F(WaitingClaims, AnswersAtOnceWhenThereIsWork) {
  enqueue(new_job());
  commit_all();
  const auto box = claim(new_claim(), minute);
  commit_all();
  EXPECT_EQ(box->leases(), 1U);
}

TEST_F(WaitingClaims, JoinsTheCommitThatEnqueuesItsJob) {
  const auto box = claim(new_claim(), minute);
  commit_all();
  EXPECT_FALSE(box->came());
  const int before = store->commits;
  enqueue(new_job());
  engine->commit_once();
  EXPECT_EQ(box->leases(), 1U);
  EXPECT_EQ(store->commits, before + 1);
}

TEST_F(WaitingClaims, GivesTheJobToTheOldestAndRetriesNoOther) {
  const auto oldest = claim(new_claim(), minute);
  const auto younger = claim(new_claim(), minute);
  commit_all();
  enqueue(new_job());
  engine->commit_once();
  EXPECT_TRUE(oldest->came());
  EXPECT_FALSE(younger->came());
  EXPECT_EQ(store->last.size(), 2U) << "one enqueue and one claim";
}

TEST_F(WaitingClaims, GivesTheJobToTheOldestOfThoseThatTakeItsType) {
  const auto claim_for = [&](const std::vector<std::string>& types) {
    Claim wanted = new_claim();
    wanted.types = types;
    return claim(std::move(wanted), Duration::seconds(60));
  };
  std::vector<std::string> many = {"T"};  // more than are found by each of them
  for (int i = 0; i < 20; ++i) many.push_back("other" + std::to_string(i));
  const auto foreign = claim_for({"U"});
  const auto first = claim_for(many);
  const auto second = claim_for({"T", "U"});
  const auto third = claim(new_claim(), Duration::seconds(60));
  commit_all();
  for (const auto& expected : {first, second, third}) {
    enqueue(new_job("T"));
    commit_all();
    ASSERT_TRUE(expected->came());
    EXPECT_EQ(expected->leases(), 1U);
  }
  EXPECT_FALSE(foreign->came());
}

TEST_F(WaitingClaims, KeepsTheAgeOfAClaimThatCameTooLate) {
  const auto picky = [&] {
    Claim one = new_claim();
    one.types = {{"A"}};
    return claim(one, minute);
  }();
  const auto young = claim(new_claim(), minute);
  commit_all();
  enqueue(new_job("B"));
  engine->commit_once();
  EXPECT_FALSE(picky->came()) << "a job of another type is not for it";
  EXPECT_TRUE(young->came());
  const auto youngest = claim(new_claim(), minute);
  commit_all();
  enqueue(new_job("A"));
  engine->commit_once();
  EXPECT_TRUE(picky->came());
  EXPECT_FALSE(youngest->came());
}

TEST_F(WaitingClaims, WakesWhenAJobComesBackOrComesDue) {
  NewJob later = new_job();
  later.delay = Duration::seconds(5);
  enqueue(later);
  commit_all();
  const auto first = claim(new_claim(), minute);
  commit_all();
  settle_in(Duration::seconds(6));
  ASSERT_TRUE(first->came()) << "promoted by the engine's own chore";
  const auto second = claim(new_claim(), minute);
  commit_all();
  const Lease lease = first->lease();
  submit(Release{.ns = "ns", .job = lease.job, .token = lease.token});
  commit_all();
  EXPECT_EQ(second->leases(), 1U);
}

TEST_F(WaitingClaims, AnswersNothingWhenItsTimeIsOver) {
  const auto box = claim(new_claim(), Duration::seconds(10));
  commit_all();
  settle_in(Duration::seconds(9));
  EXPECT_FALSE(box->came());
  settle_in(Duration::seconds(2));
  ASSERT_TRUE(box->came());
  EXPECT_EQ(box->leases(), 0U);
  EXPECT_EQ(engine->claims_waiting(), 0U);
}

TEST_F(WaitingClaims, WaitNoLongerWhenTheNodesClockIsSetBack) {
  engine->tick(now());
  const auto box = claim(new_claim(), Duration::seconds(10));
  commit_all();
  const Instant behind = now() - Duration::hours(1);
  engine->tick(behind);
  commit_all();
  // What another node brings is still found within a second.
  const auto other = std::make_shared<Box>();
  engine->claim(new_claim("other"), behind, Duration::seconds(10), into(other));
  commit_all();
  const std::vector<Command> foreign = {Enqueue{.ns = "ns", .jobs = {new_job("T", "other")}}};
  ASSERT_TRUE(backend->store().commit(foreign).ok());
  engine->tick(behind + Duration::seconds(1));
  commit_all();
  EXPECT_EQ(other->leases(), 1U);
  engine->tick(behind + Duration::seconds(9));
  commit_all();
  EXPECT_FALSE(box->came());
  engine->tick(behind + Duration::seconds(11));
  commit_all();
  EXPECT_TRUE(box->came());
}

TEST_F(WaitingClaims, WaitNoLongerWhenTheyCameWhileTheClockWasAhead) {
  engine->tick(now());
  const auto box = std::make_shared<Box>();
  engine->claim(new_claim(), now() + Duration::hours(1), Duration::seconds(10), into(box));
  commit_all();
  // No tick saw the clock ahead.
  engine->tick(now() + Duration::seconds(1));
  commit_all();
  EXPECT_FALSE(box->came());
  engine->tick(now() + Duration::seconds(12));
  commit_all();
  EXPECT_TRUE(box->came());
}

TEST_F(WaitingClaims, SaysWhenItMustBeTickedNext) {
  engine->tick(now());
  commit_all();
  const int wakes = ticker.wakes;
  claim(new_claim(), Duration::millis(300));
  commit_all();
  EXPECT_GT(ticker.wakes, wakes) << "its end comes before the next tick";
  EXPECT_LE(engine->tick(now()), now() + Duration::millis(300));
}

TEST_F(WaitingClaims, FindsJobsWithoutAHintWithinASecond) {
  const auto one = claim(new_claim(), minute);
  const auto two = claim(new_claim(), minute);
  commit_all();
  engine->tick(now());
  commit_all();
  // Another node enqueues behind this engine's back.
  const std::vector<Command> foreign = {Enqueue{.ns = "ns", .jobs = {new_job(), new_job()}}};
  ASSERT_TRUE(backend->store().commit(foreign).ok());
  settle_in(Duration::seconds(1));
  EXPECT_EQ(one->leases(), 1U);
  EXPECT_EQ(two->leases(), 1U) << "the first find makes the next one look";
}

// What makes a job free for claims is committed together with a claim that has just come.
TEST_F(WaitingClaims, GetWhatComesDueBeforeAClaimInTheSameCommit) {
  NewJob later = new_job();
  later.delay = Duration::seconds(5);
  enqueue(later);
  commit_all();
  const auto oldest = claim(new_claim(), minute);
  const auto second = claim(new_claim(), minute);
  commit_all();
  clock.advance(Duration::seconds(6));
  const auto fresh = claim(new_claim(), minute);
  submit(Due{});
  engine->commit_once();
  EXPECT_TRUE(oldest->came());
  EXPECT_FALSE(fresh->came());
  EXPECT_FALSE(second->came());
  EXPECT_EQ(store->last.size(), 3U) << "what came due, the oldest claim and the new one";
}

TEST_F(WaitingClaims, GetAReleasedJobBeforeAClaimInTheSameCommit) {
  enqueue(new_job("A"));
  const auto holder = claim(new_claim(), minute);
  commit_all();
  Claim picky = new_claim();
  picky.types = {{"A"}};
  const auto oldest = claim(picky, minute);
  commit_all();
  const Lease lease = holder->lease();
  const auto at_once = claim(new_claim(), Duration());
  const auto fresh = claim(new_claim(), minute);
  submit(Release{.ns = "ns", .job = lease.job, .token = lease.token});
  engine->commit_once();
  EXPECT_EQ(oldest->leases(), 1U);
  EXPECT_EQ(at_once->leases(), 0U);
  EXPECT_FALSE(fresh->came());
}

TEST_F(WaitingClaims, GetAnEnqueuedJobBeforeAClaimInTheSameCommit) {
  const auto oldest = claim(new_claim(), minute);
  commit_all();
  const auto fresh = claim(new_claim(), minute);
  enqueue(new_job());
  engine->commit_once();
  EXPECT_TRUE(oldest->came());
  EXPECT_FALSE(fresh->came());
}

// An older one that is looking keeps its place before one that has waited for less.
TEST_F(WaitingClaims, DoNotPassAnOlderOneInTheSameCommit) {
  NewJob later = new_job();
  later.delay = Duration::seconds(5);
  enqueue(later);
  commit_all();
  const auto oldest = claim(new_claim(), minute);
  const auto younger = claim(new_claim(), minute);
  commit_all();
  clock.advance(Duration::seconds(6));
  engine->hint();  // the oldest looks
  submit(Due{});
  engine->commit_once();
  EXPECT_TRUE(oldest->came());
  EXPECT_FALSE(younger->came());
}

TEST_F(WaitingClaims, AreNotTriedForAClaimThatComesWithNothing) {
  enqueue(new_job());
  const auto holder = claim(new_claim(), minute);
  commit_all();
  claim(new_claim(), minute);
  commit_all();
  const Lease lease = holder->lease();
  claim(new_claim(), minute);
  submit(Complete{.ns = "ns", .job = lease.job, .token = lease.token});
  engine->commit_once();
  EXPECT_EQ(store->last.size(), 2U) << "an end of a job and the new claim";
}

// On a store of several lanes one commit ends while another is under way.
TEST_F(WaitingClaims, KeepsAJobForTheOldestThatIsLookingWhenItComes) {
  const auto oldest = claim(new_claim(), minute);
  const auto younger = claim(new_claim(), minute);
  commit_all();
  engine->hint();
  store->afterwards = [&] {
    enqueue(new_job());
    engine->commit_once();
  };
  commit_all();
  EXPECT_TRUE(oldest->came());
  EXPECT_FALSE(younger->came());
}

TEST_F(WaitingClaims, KeepsAJobForTheOldestThatTriesAgain) {
  const auto oldest = claim(new_claim(), minute);
  const auto younger = claim(new_claim(), minute);
  const auto youngest = claim(new_claim(), minute);
  commit_all();
  engine->hint();
  const NewJob first = new_job(), second = new_job();
  store->afterwards = [&] {
    enqueue(first);
    engine->commit_once();
  };
  engine->commit_once();  // and the oldest, who found nothing, is on its way again
  enqueue(second);
  commit_all();
  ASSERT_TRUE(oldest->came());
  ASSERT_TRUE(younger->came());
  EXPECT_FALSE(youngest->came());
  EXPECT_EQ(oldest->lease().job, first.id);
  EXPECT_EQ(younger->lease().job, second.id);
}

TEST_F(WaitingClaims, PassesAJobOnWhenTheOldestHasFoundAnother) {
  const auto oldest = claim(new_claim(), minute);
  const auto younger = claim(new_claim(), minute);
  commit_all();
  const Command elsewhere = Enqueue{.ns = "ns", .jobs = {new_job()}};
  ASSERT_TRUE(backend->store().commit({&elsewhere, 1}).ok());
  engine->hint();
  store->afterwards = [&] {
    enqueue(new_job());
    engine->commit_once();
  };
  commit_all();
  EXPECT_TRUE(oldest->came());
  EXPECT_TRUE(younger->came());
  EXPECT_NE(oldest->lease().job, younger->lease().job);
}

TEST_F(WaitingClaims, PassesAJobOnWhenTheOldestHasGone) {
  Dispatcher::Ticket ticket = 0;
  const auto gone = claim(new_claim(), minute, &ticket);
  const auto younger = claim(new_claim(), minute);
  commit_all();
  engine->hint();
  store->afterwards = [&] {
    enqueue(new_job());
    engine->commit_once();
    engine->abandon(ticket);
  };
  commit_all();
  EXPECT_FALSE(gone->came());
  EXPECT_TRUE(younger->came());
}

// It joins for a job that already exists, and no claim is parked when the next one arrives.
TEST_F(WaitingClaims, RetriesForAJobThatArrivedWhileItJoinedAnotherCommit) {
  NewJob known = new_job();
  known.idempotency_key = "once";
  enqueue(known);
  const auto holder = claim(new_claim(), Duration());
  commit_all();
  ASSERT_EQ(holder->leases(), 1U);
  const auto waiting = claim(new_claim(), minute);
  commit_all();
  NewJob again = new_job();
  again.idempotency_key = "once";
  enqueue(again);
  const NewJob next = new_job();
  store->afterwards = [&] {
    enqueue(next);
    engine->commit_once();
  };
  commit_all();
  ASSERT_TRUE(waiting->came()) << "no tick and no hint was needed";
  ASSERT_EQ(waiting->leases(), 1U);
  EXPECT_EQ(waiting->lease().job, next.id);
}

TEST_F(WaitingClaims, ReleasesTheJobOfAnAbandonedClaim) {
  Dispatcher::Ticket ticket = 0;
  const auto gone = claim(new_claim(), minute, &ticket);
  commit_all();
  engine->abandon(ticket);
  EXPECT_EQ(engine->claims_waiting(), 0U);
  // This one goes away while its claim is being committed.
  const NewJob job = new_job();
  enqueue(job);
  const auto dead = claim(new_claim(), minute, &ticket);
  engine->abandon(ticket);
  commit_all();
  EXPECT_FALSE(gone->came());
  EXPECT_FALSE(dead->came());
  const auto next = claim(new_claim(), minute);
  commit_all();
  ASSERT_EQ(next->leases(), 1U);
  EXPECT_EQ(next->lease().failures, 0);
}

TEST_F(WaitingClaims, AnswersARefusalAtOnce) {
  Claim bad = new_claim();
  bad.limit = 0;
  const auto box = claim(bad, minute);
  commit_all();
  ASSERT_TRUE(box->came());
  EXPECT_TRUE(std::holds_alternative<Refusal>(box->answer->value().verdict));
}

TEST_F(WaitingClaims, AnswersAllClaimsWhenStopped) {
  const auto box = claim(new_claim(), minute);
  commit_all();
  engine->stop_dispatching();
  engine->stop_dispatching();
  ASSERT_TRUE(box->came());
  EXPECT_EQ(box->leases(), 0U);
  EXPECT_EQ(claim(new_claim(), minute)->answer->error().code, Errc::unavailable);
}

TEST_F(SteppedEngine, EndsTheWaitOfAClaim) {
  Dispatcher::Ticket ticket = 0;
  const BoxRef waiting = claim(new_claim(), Duration::hours(1), &ticket);
  commit_all();
  ASSERT_FALSE(waiting->came());
  engine->end_wait(ticket);
  ASSERT_TRUE(waiting->came());
  EXPECT_EQ(waiting->leases(), 0U);
  engine->end_wait(ticket);
  EXPECT_EQ(engine->claims_waiting(), 0U);
}

TEST_F(SteppedEngine, GivesAClaimWhoseWaitEndedTheResultInFlight) {
  enqueue(new_job());
  commit_all();
  Dispatcher::Ticket lucky = 0;
  Dispatcher::Ticket late = 0;
  const BoxRef first = claim(new_claim(), Duration::hours(1), &lucky);
  const BoxRef second = claim(new_claim(), Duration::hours(1), &late);
  engine->end_wait(lucky);
  engine->end_wait(late);
  ASSERT_FALSE(first->came());
  commit_all();
  EXPECT_EQ(first->leases(), 1U);
  EXPECT_EQ(second->leases(), 0U);
}

}  // namespace
}  // namespace longshore
