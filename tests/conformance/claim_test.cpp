// Claim: which worker gets which job, and the content of leases.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreClaim : public StoreTest {};
INSTANTIATE_TEST_SUITE_P(, StoreClaim, every_store(), store_name);

TEST_P(StoreClaim, HandsADueJobToOneWorkerOnly) {
  const JobId id = enqueue();
  EXPECT_EQ(claim_one({.worker = "alice"}).job, id);
  EXPECT_TRUE(claim({.worker = "bob"}).empty());
  expect_state(id, State::running);
  EXPECT_EQ(job(id).worker, "alice");
}

TEST_P(StoreClaim, FindsNothingInAnEmptyQueue) { EXPECT_TRUE(claim().empty()); }

TEST_P(StoreClaim, RaisesEpochAndAttemptByOne) {
  const Lease first = running();
  EXPECT_EQ(first.token.epoch, 1);
  EXPECT_EQ(first.attempt, 1);
  release(first);
  const Lease second = claim_one();
  EXPECT_EQ(second.token.epoch, 2);
  EXPECT_EQ(second.attempt, 2);
  EXPECT_EQ(job(second.job).epoch, 2);
}

TEST_P(StoreClaim, ReturnsEverythingTheWorkerNeeds) {
  NewJob wanted = with_defaults({.type = "mail", .queue = "post", .job_key = "k"});
  wanted.body = {.payload = "[1]", .tags = {"t"}, .metadata = R"({"a":"b"})", .request = "{}"};
  wanted.policy.max_retries = 6;
  const Lease first = running(wanted);
  fail(first,
       {.error = {.code = "BROKEN", .message = "m", .details = "{}"}, .retry_after = Duration()});
  const Lease lease = claim_one({.queues = {"post"}});
  EXPECT_EQ(lease.type, "mail");
  EXPECT_EQ(lease.queue, "post");
  EXPECT_EQ(lease.job_key, "k");
  EXPECT_EQ(lease.body, wanted.body);
  EXPECT_EQ(lease.attempt, 2);
  EXPECT_EQ(lease.failures, 1);
  EXPECT_EQ(lease.max_retries, 6);
  EXPECT_EQ(lease.created_at, job(wanted.id).created_at);
  EXPECT_EQ(lease.last_error, (JobError{"BROKEN", "m", "{}"}));
}

TEST_P(StoreClaim, LeasesForThirtySecondsUnlessTold) {
  const Lease lease = running();
  EXPECT_EQ(lease.lease_expires_at, *job(lease.job).started_at + seconds(30));
  EXPECT_EQ(lease.deadline_at, *job(lease.job).started_at + seconds(1800));
  EXPECT_EQ(job(lease.job).lease_expires_at, lease.lease_expires_at);
}

TEST_P(StoreClaim, LeasesForAsLongAsTheWorkerAsks) {
  enqueue();
  const Lease lease = claim_one({.lease = seconds(90)});
  EXPECT_EQ(lease.lease_expires_at, *job(lease.job).started_at + seconds(90));
}

TEST_P(StoreClaim, NeverLeasesBeyondTheDeadline) {
  NewJob wanted = with_defaults({});
  wanted.policy.timeout = seconds(20);
  const Lease lease = running(wanted);
  EXPECT_EQ(lease.deadline_at, *job(lease.job).started_at + seconds(20));
  EXPECT_EQ(lease.lease_expires_at, lease.deadline_at);
}

TEST_P(StoreClaim, CanBeLimitedToJobsQueuedForAWhile) {
  const JobId old = enqueue();
  advance(seconds(61));
  const JobId young = enqueue();
  const std::vector<Lease> stuck = claim({.limit = 10, .queued_for = seconds(60)});
  ASSERT_EQ(stuck.size(), 1U);
  EXPECT_EQ(stuck.front().job, old);
  // The wait of a released job starts again.
  release(stuck.front());
  EXPECT_TRUE(claim({.limit = 10, .queued_for = seconds(60)}).empty());
  expect_state(old, State::queued);
  expect_state(young, State::queued);
}

TEST_P(StoreClaim, SkipsYoungJobsBeforeOldOnes) {
  const JobId released = enqueue();
  const Lease lease = claim({.lease = seconds(600)}).front();
  const JobId low = enqueue({.priority = 9});
  advance(seconds(61));
  release(lease);  // to the front of the queue
  const JobId urgent = enqueue({.priority = 1});
  const JobId young = enqueue({.priority = 5});
  const std::vector<Lease> stuck = claim({.limit = 10, .queued_for = seconds(60)});
  ASSERT_EQ(stuck.size(), 1U);
  EXPECT_EQ(stuck.front().job, low);
  for (const JobId& job : {released, urgent, young}) expect_state(job, State::queued);
}

TEST_P(StoreClaim, RemembersTheFirstStartAndTheLatest) {
  const Lease first = running();
  const Instant began = *job(first.job).first_started_at;
  release(first);
  advance(seconds(3));
  claim_one();
  EXPECT_EQ(job(first.job).first_started_at, began);
  EXPECT_GE(*job(first.job).started_at, began + seconds(3));
}

// ---- Order -------------------------------------------------------------------------------------

TEST_P(StoreClaim, ServesEqualPrioritiesInTheOrderOfBecomingEligible) {
  const JobId late = enqueue({.delay = seconds(5)});
  const JobId first = enqueue();
  const JobId second = enqueue();
  advance(seconds(6));
  due();
  const JobId last = enqueue();
  EXPECT_EQ(claimed(), (std::vector<JobId>{first, second, late, last}));
}

TEST_P(StoreClaim, ServesTheLowestPriorityNumberFirst) {
  const JobId nine = enqueue({.priority = 9});
  const JobId five = enqueue({.priority = 5});
  const JobId zero = enqueue({.priority = 0});
  EXPECT_EQ(claimed(), (std::vector<JobId>{zero, five, nine}));
}

TEST_P(StoreClaim, VisitsQueuesInTheOrderGiven) {
  const JobId a = enqueue({.queue = "a", .priority = 0});
  const JobId b = enqueue({.queue = "b", .priority = 9});
  EXPECT_EQ(claimed({.queues = {"b", "a"}}), (std::vector<JobId>{b, a}));
}

TEST_P(StoreClaim, LooksOnlyIntoTheQueuesNamed) {
  enqueue({.queue = "a"});
  EXPECT_TRUE(claim({.queues = {"b", "c"}}).empty());
  EXPECT_TRUE(claim().empty());
}

TEST_P(StoreClaim, VisitsAQueueNamedTwiceOnce) {
  enqueue();
  enqueue();
  EXPECT_EQ(claimed({.queues = {"default", "default"}}).size(), 2u);
}

TEST_P(StoreClaim, SendsAFailedJobToTheBackOfItsPriority) {
  const Lease first = running();
  const JobId second = enqueue();
  const JobId worse = enqueue({.priority = 6});
  fail(first, {.retry_after = Duration()});
  EXPECT_EQ(claimed(), (std::vector<JobId>{second, first.job, worse}));
}

TEST_P(StoreClaim, SendsALostJobToTheBack) {
  const Lease first = running();
  const JobId second = enqueue();
  advance(seconds(31));
  reap();
  EXPECT_EQ(claimed(), (std::vector<JobId>{second, first.job}));
}

TEST_P(StoreClaim, SendsAReleasedJobToTheFront) {
  const Lease first = running();
  enqueue();
  release(first);
  EXPECT_EQ(claim_one().job, first.job);
}

TEST_P(StoreClaim, ServesTheLastReleasedFirst) {
  const Lease first = running();
  const Lease second = running();
  release(first);
  release(second);
  EXPECT_EQ(claimed(), (std::vector<JobId>{second.job, first.job}));
}

// ---- Which jobs --------------------------------------------------------------------------------

TEST_P(StoreClaim, TakesOnlyTheTypesAskedFor) {
  enqueue({.type = "print"});
  const JobId mail = enqueue({.type = "mail"});
  EXPECT_EQ(claimed({.types = {{"mail", "fax"}}}), std::vector<JobId>{mail});
}

TEST_P(StoreClaim, TakesAnyTypeWhenNoneIsNamed) {
  enqueue({.type = "print"});
  enqueue({.type = "mail"});
  EXPECT_EQ(claimed().size(), 2u);
}

TEST_P(StoreClaim, TakesNothingWhenTheListOfTypesIsEmpty) {
  enqueue();
  EXPECT_TRUE(claim({.types = std::vector<std::string>{}}).empty());
}

TEST_P(StoreClaim, KeepsTheOrderWithinTheTypesAskedFor) {
  const JobId third = enqueue({.type = "mail", .priority = 8});
  enqueue({.type = "print", .priority = 0});
  const JobId first = enqueue({.type = "mail", .priority = 1});
  const JobId second = enqueue({.type = "fax", .priority = 4});
  EXPECT_EQ(claimed({.types = {{"mail", "fax"}}}), (std::vector<JobId>{first, second, third}));
}

TEST_P(StoreClaim, GivesNoMoreThanTheLimit) {
  for (int i = 0; i < 5; ++i) enqueue();
  EXPECT_EQ(claim({.limit = 3}).size(), 3u);
  EXPECT_EQ(claim({.limit = 3}).size(), 2u);
}

TEST_P(StoreClaim, FillsUpFromTheNextQueue) {
  const JobId a = enqueue({.queue = "a"});
  const JobId b1 = enqueue({.queue = "b"});
  enqueue({.queue = "b"});
  std::vector<JobId> got;
  for (const Lease& lease : claim({.queues = {"a", "b"}, .limit = 2})) got.push_back(lease.job);
  EXPECT_EQ(got, (std::vector<JobId>{a, b1}));
}

TEST_P(StoreClaim, RefusesALimitThatTheRulesForbid) {
  enqueue();
  expect_refused_without_effect(asking({.limit = 0}), Code::invalid_field);
  expect_refused_without_effect(asking({.limit = 1001}), Code::invalid_field);
  EXPECT_EQ(claim({.limit = 1000}).size(), 1u);
}

TEST_P(StoreClaim, RefusesAnEmptyListOfQueues) {
  expect_refused_without_effect(asking({.queues = {}}), Code::invalid_field);
}

TEST_P(StoreClaim, StopsBeforeTheAnswerGrowsTooLarge) {
  NewJob wanted = with_defaults({});
  wanted.body.payload = std::string(1000, '7');
  for (int i = 0; i < 5; ++i) {
    wanted.id = new_id();
    enqueue(wanted);
  }
  EXPECT_EQ(claim({.limit = 10, .bytes_max = 3100}).size(), 3u);
  EXPECT_EQ(claim({.limit = 10}).size(), 2u);
}

TEST_P(StoreClaim, GivesOneJobHoweverLargeItIs) {
  NewJob wanted = with_defaults({});
  wanted.body.payload = std::string(5000, '7');
  enqueue(wanted);
  enqueue();
  EXPECT_EQ(claim({.limit = 10, .bytes_max = 100}).size(), 1u);
}

TEST_P(StoreClaim, DoesNotSeeOtherNamespaces) {
  const JobId there = enqueue_in("other");
  EXPECT_TRUE(claim().empty());
  EXPECT_EQ(claim_one({.ns = "other"}).job, there);
}

// ---- Sent again --------------------------------------------------------------------------------

TEST_P(StoreClaim, AnswersTheSameLeasesWhenSentAgain) {
  for (int i = 0; i < 4; ++i) enqueue();
  const Claim same = asking({.limit = 3});
  const auto first = claim(same);
  const auto again = claim(same);
  ASSERT_EQ(again.size(), 3u);
  for (std::size_t i = 0; i < again.size(); ++i) {
    Lease expected = first[i];
    EXPECT_GT(again[i].heard, expected.heard) << "this answer can be told from the first";
    EXPECT_EQ(again[i].heard_before, expected.heard);
    expected.heard = again[i].heard;
    EXPECT_EQ(again[i], expected);
    EXPECT_EQ(job(expected.job).version, 3) << "nothing that anybody can see has changed";
  }
}

TEST_P(StoreClaim, AnswersOnlyTheLeasesThatStillHold) {
  enqueue();
  enqueue();
  const Claim same = asking({.limit = 2});
  const auto first = claim(same);
  ASSERT_EQ(first.size(), 2u);
  complete(first[0]);
  const auto again = claim(same);
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].job, first[1].job);
}

TEST_P(StoreClaim, IsANewClaimWhenNoneOfItsLeasesHoldsAnyMore) {
  enqueue();
  const Claim same = asking({});
  complete(claim_one(same));
  const JobId next = enqueue();
  EXPECT_EQ(claim_one(same).job, next);
}

TEST_P(StoreClaim, DoesNotAnswerALeaseThatEnded) {
  const JobId id = enqueue();
  const Claim same = asking({});
  const Lease first = claim_one(same);
  advance(seconds(31));
  EXPECT_TRUE(claim(same).empty());
  reap();
  const Lease second = claim_one(same);
  EXPECT_EQ(second.job, id);
  EXPECT_EQ(second.token.epoch, 2);
  expect_refused(complete(first), Code::lease_lost);
}

TEST_P(StoreClaim, AnswersALeaseUntilTheMomentItEndsAndNotAtIt) {
  enqueue();
  const Claim same = asking({});
  const Lease first = claim_one(same);
  // Without an injected clock only the end can be met: the store's time may be a little further.
  if (store().capabilities().injected_clock) {
    advance(first.lease_expires_at - now() - Duration::millis(1));
    EXPECT_EQ(claimed(same), std::vector<JobId>{first.job});
    advance(Duration::millis(1));
    EXPECT_EQ(now(), first.lease_expires_at);
  } else {
    advance(first.lease_expires_at - now());
  }
  EXPECT_TRUE(claim(same).empty());
}

TEST_P(StoreClaim, DoesNotGiveOneWorkersLeasesToAnother) {
  enqueue();
  enqueue();
  const RequestId id = new_request();
  const Lease mine = claim_one({.id = id, .worker = "alice"});
  for (const Lease& other : claim({.id = id, .worker = "bob"})) EXPECT_NE(other.job, mine.job);
}

// ---- Admission ---------------------------------------------------------------------------------

TEST_P(StoreClaim, SkipsAPausedQueue) {
  enqueue({.queue = "a"});
  const JobId b = enqueue({.queue = "b"});
  pause("a");
  EXPECT_EQ(claimed({.queues = {"a", "b"}}), std::vector<JobId>{b});
  pause("a", false);
  EXPECT_EQ(claimed({.queues = {"a"}}).size(), 1u);
}

TEST_P(StoreClaim, KeepsWithinTheLimitOfAQueue) {
  send(Configure{.queues = {{.ns = "default", .queue = "default", .max_running = 2}}});
  for (int i = 0; i < 4; ++i) enqueue();
  const auto leases = claim({.limit = 10});
  EXPECT_EQ(leases.size(), 2u);
  EXPECT_TRUE(claim().empty());
  complete(leases[0]);
  EXPECT_EQ(claim({.limit = 10}).size(), 1u);
}

TEST_P(StoreClaim, KeepsWithinTheLimitOfATypeAcrossQueues) {
  send(Configure{.types = {{.ns = "default", .type = "heavy", .max_running = 1}}});
  enqueue({.type = "heavy", .queue = "a"});
  enqueue({.type = "heavy", .queue = "b"});
  const JobId light = enqueue({.type = "light", .queue = "a"});
  const auto got = claimed({.queues = {"a", "b"}});
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[1], light);
}

TEST_P(StoreClaim, KeepsTheOrderOfTheOtherTypesWhenOneIsFull) {
  send(Configure{.types = {{.ns = "default", .type = "heavy", .max_running = 2},
                           {.ns = "default", .type = "full", .max_running = 1}}});
  running({.type = "full"});
  std::vector<JobId> ids;
  const std::pair<const char*, int> wanted[] = {{"full", 0},  {"heavy", 1}, {"light", 1},
                                                {"heavy", 2}, {"heavy", 2}, {"lighter", 3},
                                                {"full", 3},  {"light", 3}, {"heavy", 4}};
  for (const auto& [type, priority] : wanted) {
    ids.push_back(enqueue({.type = type, .priority = priority}));
  }
  const auto jobs_of = [](const std::vector<Lease>& leases) {
    std::vector<JobId> jobs;
    for (const Lease& lease : leases) jobs.push_back(lease.job);
    return jobs;
  };
  EXPECT_TRUE(claim({.types = {{"full"}}}).empty());
  EXPECT_EQ(jobs_of(claim({.types = {{"full", "lighter", "light"}}, .limit = 2})),
            (std::vector{ids[2], ids[5]}));
  const std::vector<Lease> leases = claim({.limit = 10});
  ASSERT_EQ(jobs_of(leases), (std::vector{ids[1], ids[3], ids[7]}));
  EXPECT_TRUE(claim({.limit = 10}).empty());
  complete(leases[0]);
  EXPECT_EQ(claimed(), std::vector{ids[4]});
}

// A claim can use the slot that an outcome frees in the same commit.
TEST_P(StoreClaim, TakesThePlaceOfAJobThatEndsInTheSameCommit) {
  send(Configure{.types = {{.ns = "default", .type = "heavy", .max_running = 1}}});
  const Lease first = running({.type = "heavy"});
  const JobId next = enqueue({.type = "heavy"});
  enqueue({.type = "heavy"});
  const std::vector<Command> commands = {
      asking({}), Complete{.ns = "default", .job = first.job, .token = first.token, .result = "1"},
      asking({}), asking({})};
  const auto committed = store().commit(commands);
  ASSERT_TRUE(committed.ok());
  EXPECT_TRUE(as<Leased>(committed->verdicts[0]).leases.empty());
  ASSERT_EQ(as<Leased>(committed->verdicts[2]).leases.size(), 1u);
  EXPECT_EQ(as<Leased>(committed->verdicts[2]).leases[0].job, next);
  EXPECT_TRUE(as<Leased>(committed->verdicts[3]).leases.empty());
}

TEST_P(StoreClaim, CountsNoWaitingJobAgainstALimit) {
  send(Configure{.queues = {{.ns = "default", .queue = "default", .max_running = 1}}});
  waiting();
  enqueue();
  EXPECT_EQ(claim().size(), 1u);
}

TEST_P(StoreClaim, CountsNoJobOfAnotherNamespaceAgainstALimit) {
  send(Configure{.queues = {{.ns = "default", .queue = "default", .max_running = 1}}});
  enqueue_in("other");
  claim_one({.ns = "other"});
  enqueue();
  EXPECT_EQ(claim().size(), 1u);
}

TEST_P(StoreClaim, WithdrawsAnExpiredJobInsteadOfStartingIt) {
  const JobId expired = enqueue({.expires_at = now() + seconds(5)});
  const JobId good = enqueue();
  advance(seconds(6));
  EXPECT_EQ(claimed(), std::vector<JobId>{good});
  expect_path(expired, "CREATED QUEUED CANCELED");
  expect_error(expired, "EXPIRED");
  EXPECT_EQ(job(expired).attempt, 0);
}

TEST_P(StoreClaim, DoesNotStartAJobBeforeItsTime) {
  enqueue({.delay = seconds(10)});
  advance(seconds(9));
  due();
  EXPECT_TRUE(claim().empty());
}

}  // namespace
}  // namespace longshore::conformance
