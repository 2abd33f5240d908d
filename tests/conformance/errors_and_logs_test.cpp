// Error groups and attempt logs.
#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreErrorGroups : public StoreTest {
 protected:
  void fail_with(const JobError& error, const std::string& type = "work") {
    fail(running({.type = type}), {.error = error});
  }
  // Of the group that has this code.
  GroupJobs jobs_of(const std::string& code, int most = 100) {
    auto groups = *catalog().error_groups("default");
    std::erase_if(groups, [&](const ErrorGroup& group) { return group.code != code; });
    EXPECT_EQ(groups.size(), 1u) << code;
    const auto jobs = catalog().jobs_of_groups(groups, most);
    EXPECT_TRUE(jobs.ok());
    return jobs && jobs->size() == 1 ? jobs->at(0) : GroupJobs{};
  }
};
class StoreLogs : public StoreTest {
 protected:
  std::vector<AttemptLog> logs(const JobId& id) {
    const auto found = catalog().logs("default", id);
    EXPECT_TRUE(found.ok());
    return found ? *found : std::vector<AttemptLog>{};
  }
};
INSTANTIATE_TEST_SUITE_P(, StoreErrorGroups, every_store(), store_name);
INSTANTIATE_TEST_SUITE_P(, StoreLogs, every_store(), store_name);

TEST_P(StoreErrorGroups, CountEqualErrorsOfOneType) {
  const JobError error{.code = "DISK", .message = "no space\nsecond line"};
  fail_with(error);
  advance(seconds(10));
  fail_with(error);
  const auto groups = catalog().error_groups("default");
  ASSERT_EQ(groups->size(), 1u);
  const ErrorGroup& group = groups->at(0);
  EXPECT_EQ(group.count, 2);
  EXPECT_EQ(group.code, "DISK");
  EXPECT_EQ(group.message, "no space");
  EXPECT_EQ(group.type, "work");
  EXPECT_GE(group.last_at, group.first_at + seconds(10));
  EXPECT_TRUE(exists(group.sample));
}

TEST_P(StoreErrorGroups, KeepTypesAndCodesApart) {
  fail_with({.code = "A", .message = "m"});
  fail_with({.code = "B", .message = "m"});
  fail_with({.code = "A", .message = "m"}, "other");
  EXPECT_EQ(catalog().error_groups("default")->size(), 3u);
}

TEST_P(StoreErrorGroups, CountTimeouts) {
  NewJob wanted = with_defaults({});
  wanted.policy.timeout = seconds(5);
  running(wanted);
  advance(seconds(6));
  reap();
  ASSERT_EQ(catalog().error_groups("default")->size(), 1u);
  EXPECT_EQ(catalog().error_groups("default")->at(0).code, "TIMEOUT");
}

TEST_P(StoreErrorGroups, CountNoReplay) {
  const Lease lease = running();
  fail(lease);
  fail(lease);
  EXPECT_EQ(catalog().error_groups("default")->at(0).count, 1);
}

TEST_P(StoreErrorGroups, IgnoreLostLeasesReleasesAndCancels) {
  release(running());
  claim_one();
  advance(seconds(31));
  reap();
  cancel(enqueue());
  EXPECT_TRUE(catalog().error_groups("default")->empty());
}

TEST_P(StoreErrorGroups, BelongToOneNamespace) {
  fail_with({.code = "A", .message = "m"});
  EXPECT_TRUE(catalog().error_groups("other")->empty());
}

TEST_P(StoreErrorGroups, CountTheirJobsByState) {
  const JobError error{.code = "A", .message = "row 1"};
  fail(running(), {.error = error, .retryable = false});
  fail(running(), {.error = error, .retryable = false});
  const Lease ends_well = running({.queue = "well"});
  fail(ends_well, {.error = error, .retry_after = Duration()});
  EXPECT_EQ(jobs_of("A"), (GroupJobs{.dead = 2, .retrying = 1}));
  complete(claim_one({.queues = {"well"}}));
  const Lease withdrawn = running({.queue = "withdrawn"});
  fail(withdrawn, {.error = error, .retry_after = days(1)});
  cancel(withdrawn.job);
  expect_state(ends_well.job, State::success);
  EXPECT_EQ(jobs_of("A"), (GroupJobs{.dead = 2, .recovered = 1}));
}

TEST_P(StoreErrorGroups, CountAJobWhereItsLatestFailureBelongs) {
  const Lease first = running();
  fail(first, {.error = {.code = "A", .message = "m"}, .retry_after = Duration()});
  fail(claim_one(), {.error = {.code = "B", .message = "m"}, .retry_after = Duration()});
  EXPECT_EQ(jobs_of("A"), GroupJobs{});
  EXPECT_EQ(jobs_of("B"), GroupJobs{.retrying = 1});
  fail(claim_one(), {.error = {.code = "A", .message = "m"}, .retryable = false});
  EXPECT_EQ(jobs_of("A"), GroupJobs{.dead = 1});
  EXPECT_EQ(jobs_of("B"), GroupJobs{});
}

TEST_P(StoreErrorGroups, SayThatTheyHaveMoreJobsThanWereCounted) {
  for (int i = 0; i < 3; ++i) fail_with({.code = "A", .message = "m"});
  EXPECT_EQ(jobs_of("A", 3), GroupJobs{.retrying = 3});
  EXPECT_EQ(jobs_of("A", 2), (GroupJobs{.retrying = 2, .more = true}));
}

TEST_P(StoreErrorGroups, CountNoJobsOfOtherNamespaces) {
  fail_with({.code = "A", .message = "m"});
  auto groups = *catalog().error_groups("default");
  for (ErrorGroup& group : groups) group.ns = "other";
  EXPECT_EQ(catalog().jobs_of_groups(groups, 10)->at(0), GroupJobs{});
}

TEST_P(StoreErrorGroups, ForgetJobsThatArePruned) {
  const JobError error{.code = "A", .message = "m"};
  fail(running(), {.error = error, .retry_after = Duration()});
  complete(claim_one());
  advance(days(8));
  prune();
  EXPECT_EQ(jobs_of("A"), GroupJobs{});
}

TEST_P(StoreErrorGroups, AreKeptForNinetyDaysAfterTheirLastFailure) {
  fail_with({.code = "QUIET", .message = "m"});
  fail_with({.code = "LOUD", .message = "m"});
  advance(days(80));
  fail_with({.code = "LOUD", .message = "m"});
  advance(days(10) + seconds(1));
  prune();
  ASSERT_EQ(catalog().error_groups("default")->size(), 1u);
  EXPECT_EQ(catalog().error_groups("default")->at(0).code, "LOUD");
  EXPECT_EQ(catalog().error_groups("default")->at(0).count, 2);
  EXPECT_EQ(jobs_of("LOUD").retrying, 2);
  fail_with({.code = "QUIET", .message = "m"});
  EXPECT_EQ(jobs_of("QUIET").retrying, 1) << "it began anew";
}

TEST_P(StoreLogs, GrowWithEveryHeartbeatAndTheSettlement) {
  const Lease lease = running();
  heartbeat(lease, {.log = "one\n"});
  heartbeat(lease, {.log = "two\n"});
  send(Complete{.ns = "default", .job = lease.job, .token = lease.token, .log = "three\n"});
  EXPECT_EQ(logs(lease.job), (std::vector<AttemptLog>{{1, "one\ntwo\nthree\n"}}));
}

TEST_P(StoreLogs, AreKeptPerAttempt) {
  const Lease first = running();
  fail(first, {.retry_after = Duration(), .log = "first"});
  const Lease second = claim_one();
  release(second, {.log = "second"});
  const Lease third = claim_one();
  heartbeat(third, {.log = "third"});
  EXPECT_EQ(logs(first.job), (std::vector<AttemptLog>{{1, "first"}, {2, "second"}, {3, "third"}}));
}

TEST_P(StoreLogs, AreNotAppendedTwiceByTheSameHeartbeat) {
  const Lease lease = running();
  const RequestId id = new_request();
  heartbeat(lease, {.id = id, .log = "once\n"});
  heartbeat(lease, {.id = id, .log = "once\n"});
  EXPECT_EQ(logs(lease.job), (std::vector<AttemptLog>{{1, "once\n"}}));
}

TEST_P(StoreLogs, AreNotAppendedTwiceByALaterHeartbeat) {
  const Lease lease = running();
  heartbeat(lease, {.id = new_request(), .log = "first\n"});
  const RequestId id = new_request();
  heartbeat(lease, {.id = id, .log = "second\n"});
  heartbeat(lease, {.id = id, .log = "second\n"});
  EXPECT_EQ(logs(lease.job), (std::vector<AttemptLog>{{1, "first\nsecond\n"}}));
}

TEST_P(StoreLogs, AreNotAppendedTwiceByARepeatedSettlement) {
  const Lease lease = running();
  const Complete same{.ns = "default", .job = lease.job, .token = lease.token, .log = "end"};
  send(same);
  send(same);
  EXPECT_EQ(logs(lease.job), (std::vector<AttemptLog>{{1, "end"}}));
}

TEST_P(StoreLogs, KeepTheNewest64KiBOfAnAttempt) {
  const Lease lease = running();
  for (int i = 0; i < 5; ++i) {
    heartbeat(lease, {.log = std::string(20'000, static_cast<char>('a' + i))});
  }
  const auto kept = logs(lease.job);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].text.size(), log_bytes_kept);
  EXPECT_EQ(kept[0].text.back(), 'e');
  EXPECT_EQ(kept[0].text.front(), 'b');
}

TEST_P(StoreLogs, NeverBeginInsideACharacter) {
  const Lease lease = running();
  std::string umlauts;
  for (std::size_t i = 0; i < log_bytes_kept / 2; ++i) umlauts += "\u00fc";
  heartbeat(lease, {.log = umlauts + "!"});
  const auto kept = logs(lease.job);
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept[0].text.size(), log_bytes_kept - 1);
  EXPECT_TRUE(kept[0].text.starts_with("\u00fc"));
}

TEST_P(StoreLogs, AreEmptyForAJobWithoutLogs) { EXPECT_TRUE(logs(enqueue()).empty()); }

TEST_P(StoreLogs, TakeNothingFromAStaleWorker) {
  const Lease first = running();
  release(first);
  const Lease second = claim_one();
  heartbeat(first, {.log = "ghost"});
  heartbeat(second, {.log = "real"});
  EXPECT_EQ(logs(first.job), (std::vector<AttemptLog>{{2, "real"}}));
}

}  // namespace
}  // namespace longshore::conformance
