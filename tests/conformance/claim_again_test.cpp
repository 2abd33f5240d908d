// A claim that is repeated when it no longer owns its first job gets another one, once, and returns
// that one from then on, however many other claims share the commit.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreClaimAgain : public StoreTest {
 protected:
  std::vector<Verdict> send_together(const std::vector<Command>& commands) {
    auto committed = store().commit(commands);
    EXPECT_TRUE(committed.ok());
    return committed ? std::move(committed->verdicts) : std::vector<Verdict>();
  }
  // What the claim is answered in a commit of many.
  std::vector<JobId> claimed_in_a_crowd(const Claim& claim) {
    std::vector<Command> commands = {claim};
    for (int i = 0; i < 40; ++i) commands.emplace_back(asking({}));
    const auto verdicts = send_together(commands);
    std::vector<JobId> ids;
    for (const Lease& lease : as<Leased>(verdicts.at(0)).leases) ids.push_back(lease.job);
    return ids;
  }
};
INSTANTIATE_TEST_SUITE_P(, StoreClaimAgain, every_store(), store_name);

TEST_P(StoreClaimAgain, HoldsItsSecondJobWhenTheFirstWasHandedOffAndEnded) {
  for (int i = 0; i < 3; ++i) enqueue();
  const Claim twice = asking({});
  const Lease first = claim_one(twice);
  hand_off(first);
  const Lease second = claim_one(twice);
  EXPECT_NE(second.job, first.job);
  complete(first);
  EXPECT_EQ(claimed_in_a_crowd(twice), std::vector{second.job});
}

TEST_P(StoreClaimAgain, HoldsItsSecondJobWhileTheFirstWaits) {
  for (int i = 0; i < 4; ++i) enqueue();
  const Claim again = asking({});
  const Lease first = claim_one(again);
  hand_off(first);
  const Lease second = claim_one(again);
  EXPECT_EQ(claimed_in_a_crowd(again), std::vector{second.job});
  hand_off(second);
  enqueue();
  const Lease third = claim_one(again);
  EXPECT_EQ(claimed_in_a_crowd(again), std::vector{third.job});
  for (const Lease& lease : {first, second, third})
    expect_status(complete(lease), Status::completed);
}

TEST_P(StoreClaimAgain, HoldsItsSecondJobWhenTheLeaseOfTheFirstHasEnded) {
  for (int i = 0; i < 2; ++i) enqueue();
  const Claim twice = asking({.lease = seconds(5)});
  const Lease first = claim_one(twice);
  advance(seconds(6));
  const Lease second = claim_one(twice);
  EXPECT_NE(second.job, first.job);
  reap();
  expect_state(first.job, State::queued);
  EXPECT_EQ(claimed_in_a_crowd(twice), std::vector{second.job});
}

TEST_P(StoreClaimAgain, HoldsItsSecondJobWhenAllWasSaidInOneCommit) {
  const JobId first = enqueue();
  const JobId second = enqueue();
  enqueue();
  const Claim twice = asking({});
  const LeaseToken token{.epoch = 1, .claim = twice.id};
  send_together(
      {twice, Complete{.ns = "default", .job = first, .token = token, .result = "1"}, twice});
  expect_state(first, State::success);
  expect_state(second, State::running);
  EXPECT_EQ(claimed_in_a_crowd(twice), std::vector{second});
}

TEST_P(StoreClaimAgain, HoldsItsSecondJobWhenTheFirstWasHandedOffInTheSameCommit) {
  const JobId first = enqueue();
  const JobId second = enqueue();
  enqueue();
  const Claim twice = asking({});
  const LeaseToken token{.epoch = 1, .claim = twice.id};
  send_together(
      {twice, HandOff{.ns = "default", .job = first, .token = token, .timeout = {}}, twice});
  expect_state(first, State::waiting);
  expect_state(second, State::running);
  send_together({Complete{.ns = "default", .job = first, .token = token, .result = "1"}});
  EXPECT_EQ(claimed_in_a_crowd(twice), std::vector{second});
}

// ---- Released on behalf of a worker that may not know of its lease ------------------------------

TEST_P(StoreClaimAgain, LetsTheFirstAnswerBeTakenBackUntilThereIsASecond) {
  enqueue();
  const Claim twice = asking({});
  const Lease first = claim_one(twice);
  const Lease second = claim_one(twice);
  expect_refused(release(first, {.heard = first.heard}), Code::lease_lost);
  expect_state(first.job, State::running);
  expect_status(release(second, {.heard = second.heard}), Status::pending);
  EXPECT_EQ(job(first.job).crashes, 0);
}

TEST_P(StoreClaimAgain, CanTellEveryAnswerFromTheOneBefore) {
  enqueue();
  const Claim often = asking({});
  Lease before = claim_one(often);
  EXPECT_EQ(before.heard, Instant());
  for (int i = 0; i < 3; ++i) {
    const Lease after = claim_one(often);
    EXPECT_EQ(after.lease_expires_at, before.lease_expires_at);
    EXPECT_EQ(after.heard_before, before.heard);
    expect_refused(release(before, {.heard = before.heard}), Code::lease_lost);
    before = after;
  }
  expect_status(release(before, {.heard = before.heard}), Status::pending);
}

TEST_P(StoreClaimAgain, CanTellThemWhereTheLeaseIsAsLongAsTheTimeout) {
  NewJob wanted = with_defaults({});
  wanted.policy.timeout = seconds(20);
  enqueue(wanted);
  const Claim twice = asking({.lease = seconds(20)});
  const Lease first = claim_one(twice);
  const Lease second = claim_one(twice);
  const Lease third = claim_one(twice);
  expect_refused(release(first, {.heard = second.heard}), Code::lease_lost);
  advance(seconds(21));
  reap();
  EXPECT_EQ(record(third.job).error->code, "TIMEOUT");
}

TEST_P(StoreClaimAgain, DoesNotReleaseALeaseWhoseWorkerSentAHeartbeat) {
  enqueue();
  const Lease lease = claim_one();
  heartbeat(lease);
  expect_refused(release(lease, {.heard = lease.heard}), Code::lease_lost);
  expect_status(release(lease), Status::pending);
}

// A node answered twice, then another one, whose worker beats in the same millisecond.
TEST_P(StoreClaimAgain, DoesNotTakeTheHeartbeatOfAMomentForAnAnswerOfIt) {
  for (const Duration lease : {seconds(10), seconds(20)}) {
    NewJob wanted = with_defaults({});
    wanted.policy.timeout = seconds(20);
    enqueue(wanted);
    const Claim often = asking({.lease = lease});
    claim_one(often);
    const Lease second = claim_one(often);
    const Lease third = claim_one(often);
    heartbeat(third);
    expect_refused(release(second, {.heard = second.heard}), Code::lease_lost);
    expect_refused(release(third, {.heard = third.heard}), Code::lease_lost);
    complete(third);
  }
}

TEST_P(StoreClaimAgain, DoesNotTakeBackWhatItsWorkerHandedOff) {
  enqueue();
  const Lease lease = claim_one();
  hand_off(lease);
  expect_refused(release(lease, {.heard = lease.heard}), Code::lease_lost);
  expect_state(lease.job, State::waiting);
}

TEST_P(StoreClaimAgain, CanTellTwoAnswersOfOneCommit) {
  enqueue();
  const Claim twice = asking({});
  const auto verdicts = send_together({twice, twice});
  const Lease first = as<Leased>(verdicts.at(0)).leases.at(0);
  const Lease second = as<Leased>(verdicts.at(1)).leases.at(0);
  EXPECT_EQ(second.body, first.body);
  expect_refused(release(first, {.heard = first.heard}), Code::lease_lost);
  expect_status(release(second, {.heard = second.heard}), Status::pending);
}

}  // namespace
}  // namespace longshore::conformance
