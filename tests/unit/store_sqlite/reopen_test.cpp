#include <algorithm>

#include "unit/store_sqlite/sqlite_test.h"

namespace longshore {
namespace {

class SqliteReopen : public SqliteTest {};

TEST_F(SqliteReopen, KeepsEverythingThatWasAcknowledged) {
  open();
  enqueue({.job_key = "k", .idempotency_key = "once", .run_at = clock_.now() + Duration::hours(1)});
  enqueue({.body = {.payload = "[1]",
                    .tags = {"a b", "-", "%", ""},
                    .metadata = R"({"m":"1"})",
                    .request = R"({"r":2})",
                    .traceparent = "00-t"},
           .policy = {.max_retries = 7, .backoff = {.max = std::nullopt, .jitter = 0.3}},
           .callback = Callback{.url = "http://x", .secret_name = "s"}});
  enqueue({.queue = "other", .priority = 0});
  const Lease failing = claim().at(0);
  send(Fail{.ns = "default",
            .job = failing.job,
            .token = failing.token,
            .error = {.code = "E", .message = "m\nn", .details = "{}"},
            .log = "it failed"});
  send(Configure{.queues = {{.ns = "default", .queue = "other", .max_running = 3}}});
  send(PauseQueue{.ns = "default", .queue = "other", .actor = {.name = "ops"}});
  const auto before = dump();
  const auto queues = *catalog().queues("default");
  const auto trail = *catalog().audit_trail("default", 10);
  open();
  EXPECT_TRUE(dump() == before);
  EXPECT_EQ(before.size(), 3u);
  EXPECT_TRUE(*catalog().queues("default") == queues);
  EXPECT_TRUE(*catalog().audit_trail("default", 10) == trail);
  EXPECT_EQ(catalog().configuration()->queues.at(0).max_running, 3);
  EXPECT_EQ(catalog().logs("default", failing.job)->at(0).text, "it failed");
  EXPECT_EQ(findings(), std::vector<std::string>{});
}

TEST_F(SqliteReopen, KeepsTheOrderOfTheQueue) {
  open();
  std::vector<JobId> ids;
  for (int i = 0; i < 10; ++i) ids.push_back(enqueue());
  const Lease lease = claim().at(0);
  send(Release{.ns = "default", .job = lease.job, .token = lease.token});
  open();
  std::vector<JobId> claimed;
  for (const Lease& each : claim(100)) claimed.push_back(each.job);
  EXPECT_EQ(claimed, ids);
}

TEST_F(SqliteReopen, LetsAHeldJobBeSettledAndAnAbandonedOneBeReaped) {
  open();
  enqueue();
  enqueue();
  const auto leases = claim(2);
  open();
  complete(leases.at(0));
  clock_.advance(Duration::seconds(31));
  EXPECT_EQ(std::get<Swept>(send(Reap{})).count, 1);
  EXPECT_EQ(catalog().glance("default", leases.at(1).job)->crashes, 1);
}

TEST_F(SqliteReopen, KnowsToTheSecondUntilWhenItWasUpThoughNothingChanged) {
  const auto start_after_a_lease_ended = [&](bool reopened) {
    open();
    send(StartNode{.node = {1, 1}, .name = "n"});
    enqueue();
    EXPECT_EQ(claim().size(), 1u);  // for 30 seconds, which end with a second
    clock_.advance(Duration::millis(29'900));
    enqueue({.queue = "other"});
    clock_.advance(Duration::millis(600));
    send(Reap{.limit = 0});  // changes nothing, less than a second after what did
    clock_.advance(Duration::minutes(5));
    if (reopened) open();
    return std::get<Swept>(send(StartNode{.node = {2, 2}, .name = "n"})).count;
  };
  EXPECT_EQ(start_after_a_lease_ended(false), 0) << "a lease that ended while it was up lives on";
  clock_.advance(Duration::millis(500));  // a whole second again
  send(Reap{});
  EXPECT_EQ(start_after_a_lease_ended(true), 0) << "a lease that ended while it was up lives on";
}

TEST_F(SqliteReopen, NeverGoesBackInTimeAlthoughTheMachineDoes) {
  open();
  enqueue();
  const Lease lease = claim().at(0);
  clock_.advance(Duration::seconds(40));
  const Verdict late = send(Complete{.ns = "default", .job = lease.job, .token = lease.token});
  EXPECT_EQ(std::get<Refusal>(late).code, Code::lease_lost);
  const Instant before = *catalog().now();
  clock_.advance(Duration::seconds(-39));
  open();
  EXPECT_GE(*catalog().now(), before);
  const Verdict again = send(Complete{.ns = "default", .job = lease.job, .token = lease.token});
  EXPECT_EQ(std::get<Refusal>(again).code, Code::lease_lost) << "an ended lease came back to life";
}

TEST_F(SqliteReopen, RemembersATimeThatWasOnlyTold) {
  open();
  clock_.advance(Duration::hours(1));
  const Instant told = *catalog().now();
  clock_.advance(Duration::hours(-2));
  open();
  EXPECT_GE(*catalog().now(), told);
}

TEST_F(SqliteReopen, GoesOnNumberingWhereItStopped) {
  open();
  const JobId first = enqueue();
  open();
  const JobId second = enqueue();
  EXPECT_EQ(catalog().glance("default", first)->number, 1);
  EXPECT_EQ(catalog().glance("default", second)->number, 2);
}

}  // namespace
}  // namespace longshore
