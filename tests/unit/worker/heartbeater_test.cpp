// Heartbeats for running handlers.
#include "worker/heartbeater.h"

#include "unit/worker/running_worker.h"

namespace longshore {
namespace {

using Heartbeats = RunningWorker;

TEST_F(Heartbeats, MayBeStoppedBeforeTheStartAndTwice) {
  Heartbeater heartbeats(*leases, {.patience = Duration::seconds(1)});
  heartbeats.stop();
  heartbeats.start();  // no effect after stop()
  heartbeats.stop();
  EXPECT_EQ(leases->introductions.count(), 0);
  Heartbeater another(*leases, {.patience = Duration::seconds(1)});
  another.start();
  another.start();
  ASSERT_TRUE(leases->introductions.wait());
  another.stop();
  another.stop();
}

TEST_F(Heartbeats, KeepALeaseForAsLongAsTheHandlerRuns) {
  make({.concurrency = 1});
  worker->handle("T", until_let_go());
  ASSERT_TRUE(worker->start().ok());
  const JobId id = enqueue();
  ASSERT_TRUE(running->wait());
  for (int third = 1; third <= 9; ++third) {
    harbour.advance(Duration::seconds(10));
    ASSERT_TRUE(leases->heartbeats.wait(third));
  }
  go_on->happen();
  const JobRecord record = ended(id);
  EXPECT_EQ(record.job.state, State::success);
  EXPECT_EQ(record.job.attempt, 1);
}

TEST_F(Heartbeats, SendTheWorkerInfoEveryTenSeconds) {
  make({.name = "w-1", .concurrency = 2, .queues = {{"mail"}}});
  worker->handle("T", [](Context&) { return ok(); });
  ASSERT_TRUE(worker->start().ok());
  ASSERT_TRUE(leases->introductions.wait());
  const Instant first = harbour.now();
  harbour.advance(Duration::seconds(10));
  ASSERT_TRUE(leases->introductions.wait(2));
  const std::vector<WorkerView> seen = harbour.longshore().catalog().workers("default").value();
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen[0].info.worker, "w-1");
  EXPECT_EQ(seen[0].info.slots, 2);
  EXPECT_EQ(seen[0].info.queues, std::vector<std::string>{"mail"});
  EXPECT_EQ(seen[0].info.types, std::vector<std::string>{"T"});
  EXPECT_EQ(seen[0].seen_at, first + Duration::seconds(10));
}

TEST_F(Heartbeats, StopAHandlerWhoseJobWasCanceled) {
  make({.concurrency = 1});
  worker->handle("T", until_stopped(canceled()));
  ASSERT_TRUE(worker->start().ok());
  const JobId id = enqueue();
  ASSERT_TRUE(running->wait());
  EXPECT_TRUE(client.cancel(id).value().asked);
  harbour.advance(Duration::seconds(10));
  ASSERT_TRUE(finished->wait());
  EXPECT_EQ(*reason, StopReason::canceled);
  EXPECT_EQ(ended(id).job.state, State::canceled);
}

TEST_F(Heartbeats, DeliverACancelWithinFiveSecondsEvenWithALongLease) {
  make({.concurrency = 1, .lease = Duration::days(1)});
  worker->handle("T", until_stopped(canceled()));
  ASSERT_TRUE(worker->start().ok());
  const JobId id = enqueue("T", {.policy = {.timeout = Duration::days(1)}});
  ASSERT_TRUE(running->wait());
  EXPECT_TRUE(client.cancel(id).value().asked);
  harbour.advance(Duration::seconds(5));
  ASSERT_TRUE(finished->wait());
  EXPECT_EQ(*reason, StopReason::canceled);
  EXPECT_EQ(ended(id).job.state, State::canceled);
}

TEST_F(Heartbeats, ExtendALongLeaseByItsOwnLength) {
  make({.concurrency = 1, .lease = Duration::seconds(300)});
  worker->handle("T", until_let_go());
  ASSERT_TRUE(worker->start().ok());
  const JobId id = enqueue();
  ASSERT_TRUE(running->wait());
  for (int beat = 1; beat <= 3; ++beat) {
    harbour.advance(Duration::seconds(5));
    ASSERT_TRUE(leases->heartbeats.wait(beat));
    EXPECT_EQ(client.get(id)->job.lease_expires_at, harbour.now() + Duration::seconds(300));
  }
  go_on->happen();
  EXPECT_EQ(ended(id).job.state, State::success);
}

TEST_F(Heartbeats, ShareATurnWhenTheyAreDueAboutTheSameTime) {
  make({.concurrency = 2});
  worker->handle("T", until_let_go());
  ASSERT_TRUE(worker->start().ok());
  enqueue();
  ASSERT_TRUE(running->wait());
  harbour.advance(Duration::millis(400));
  enqueue();
  ASSERT_TRUE(running->wait(2));
  harbour.advance(Duration::millis(4600));  // the first is due, the second 400 ms later
  ASSERT_TRUE(leases->heartbeats.wait());
  harbour.advance(Duration::seconds(5));
  ASSERT_TRUE(leases->heartbeats.wait(2));
  EXPECT_EQ(leases->heartbeats.count(), 2);
  EXPECT_EQ(leases->most_beats_of_a_turn, 2);
  go_on->happen();
}

TEST_F(Heartbeats, StopAHandlerThatLostItsLeaseAndDiscardItsOutcome) {
  make({.concurrency = 1});
  worker->handle("T", [inner = until_stopped(fail_for_good("stale"))](Context& context) {
    return context.attempt() == 1 ? inner(context) : ok(context.attempt());
  });
  ASSERT_TRUE(worker->start().ok());
  const JobId id = enqueue();
  ASSERT_TRUE(running->wait());
  harbour.advance(Duration::seconds(31));
  ASSERT_TRUE(finished->wait());
  EXPECT_EQ(*reason, StopReason::lease_lost);
  const JobRecord record = ended(id);
  EXPECT_EQ(record.job.state, State::success);
  EXPECT_EQ(record.result, "2");
  EXPECT_EQ(record.job.crashes, 1);
}

TEST_F(Heartbeats, StopAHandlerAtItsDeadline) {
  make({.concurrency = 1});
  worker->handle("T", until_stopped());
  ASSERT_TRUE(worker->start().ok());
  const JobId id = enqueue("T", {.policy = {.max_retries = 0, .timeout = Duration::seconds(5)}});
  ASSERT_TRUE(running->wait());
  harbour.advance(Duration::seconds(5));
  ASSERT_TRUE(finished->wait());
  const JobRecord record = ended(id);
  EXPECT_EQ(record.job.state, State::dead);
  EXPECT_EQ(record.error->code, "TIMEOUT");
}

TEST_F(Heartbeats, StopAHandlerWhoseLeaseEndedWithoutAReply) {
  make({.concurrency = 1});
  worker->handle("T", until_stopped());
  ASSERT_TRUE(worker->start().ok());
  enqueue();
  ASSERT_TRUE(running->wait());
  leases->cut_off = true;
  harbour.advance(Duration::seconds(10));
  ASSERT_TRUE(leases->failures.wait(1));
  harbour.advance(Duration::seconds(20));
  ASSERT_TRUE(finished->wait());
  EXPECT_EQ(*reason, StopReason::lease_lost);
  leases->cut_off = false;
}

TEST_F(Heartbeats, CountTheEndOfALeaseFromTheLastAcknowledgedHeartbeat) {
  make({.concurrency = 1});
  worker->handle("T", [run = running, go = go_on, why = reason](Context& context) {
    run->happen();
    go->wait();
    *why = context.stop_reason();
    return ok();
  });
  ASSERT_TRUE(worker->start().ok());
  const JobId id = enqueue();
  ASSERT_TRUE(running->wait());
  for (int beat = 1; beat <= 5; ++beat) {
    harbour.advance(Duration::seconds(5));
    ASSERT_TRUE(leases->heartbeats.wait(beat));
  }
  leases->cut_off = true;
  harbour.advance(Duration::seconds(6));  // past the lease's end as of the claim
  ASSERT_TRUE(leases->failures.wait());
  EXPECT_TRUE(leases->awaited(harbour.now() + Duration::seconds(1))) << "it did not retry";
  leases->cut_off = false;
  go_on->happen();
  const JobRecord record = ended(id);
  EXPECT_EQ(*reason, StopReason::none);
  EXPECT_EQ(record.job.state, State::success);
  EXPECT_EQ(record.job.attempt, 1);
}

TEST_F(Heartbeats, ResendProgressAndLogsOfALostHeartbeat) {
  make({.concurrency = 1});
  worker->handle("T", [run = running, go = go_on](Context& context) {
    context.progress(40);
    context.log("nearly half");
    run->happen();
    go->wait();
    return ok();
  });
  ASSERT_TRUE(worker->start().ok());
  leases->cut_off = true;
  const JobId id = enqueue();
  ASSERT_TRUE(running->wait());
  harbour.advance(Duration::seconds(1));
  ASSERT_TRUE(leases->failures.wait());
  ASSERT_TRUE(leases->awaited(harbour.now() + Duration::seconds(1)));
  leases->cut_off = false;
  harbour.advance(Duration::seconds(1));
  ASSERT_TRUE(leases->heartbeats.wait());
  EXPECT_EQ(client.get(id)->job.progress, 40.0);
  const auto logs = harbour.longshore().catalog().logs("default", id);
  ASSERT_TRUE(logs.ok());
  ASSERT_EQ(logs->size(), 1U);
  EXPECT_EQ(logs->at(0).text, "nearly half\n");
  go_on->happen();
  EXPECT_EQ(ended(id).job.state, State::success);
}

TEST_F(Heartbeats, SendProgressAndLogsWithinASecond) {
  make({.concurrency = 1});
  worker->handle("T", [run = running, go = go_on](Context& context) {
    context.progress(40);
    context.log("nearly half");
    run->happen();
    go->wait();
    return ok();
  });
  ASSERT_TRUE(worker->start().ok());
  const JobId id = enqueue();
  ASSERT_TRUE(running->wait());
  harbour.advance(Duration::seconds(1));
  ASSERT_TRUE(leases->heartbeats.wait());
  EXPECT_EQ(client.get(id)->job.progress, 40.0);
  EXPECT_EQ(harbour.longshore().catalog().logs("default", id)->at(0).text, "nearly half\n");
  go_on->happen();
  EXPECT_EQ(ended(id).job.state, State::success);
}

TEST_F(Heartbeats, KeepANewerProgressThanTheOneThatWasLost) {
  Heartbeater heartbeats(*leases, {.patience = Duration::seconds(1)});
  const std::atomic<bool> stopping = false;
  Attempt attempt({}, Instant(), {*leases, heartbeats, stopping});
  attempt.progress(40);
  attempt.log("first");
  const Heartbeat lost = attempt.next_heartbeat();
  attempt.progress(60);
  attempt.log("second");
  attempt.restore(lost);
  const Heartbeat next = attempt.next_heartbeat();
  EXPECT_EQ(next.progress, 60.0);
  EXPECT_EQ(next.log, "first\nsecond\n");
}

TEST_F(Heartbeats, ResendOutcomesUntilTheyAreAcknowledged) {
  make({.concurrency = 1});
  worker->handle("T", until_let_go());
  ASSERT_TRUE(worker->start().ok());
  const JobId id = enqueue();
  ASSERT_TRUE(running->wait());
  leases->cut_off = true;  // for a turn that settles; the resent command goes through
  go_on->happen();
  EXPECT_EQ(ended(id).job.state, State::success);
  EXPECT_GE(leases->failures.count(), 1);
}

TEST_F(Heartbeats, ReplaceAThreadWhoseHandlerIsStuck) {
  make({.concurrency = 1, .patience = Duration::seconds(3)});
  worker->handle("stuck", until_let_go());
  worker->handle("T", [](Context&) { return ok(); });
  ASSERT_TRUE(worker->start().ok());
  enqueue("stuck", {.policy = {.max_retries = 0, .timeout = Duration::seconds(5)}});
  ASSERT_TRUE(running->wait());
  const JobId next = enqueue();
  harbour.advance(Duration::seconds(5));
  EXPECT_TRUE(eventually([&] { return must(client.get(next)).job.state == State::success; },
                         [&] { harbour.advance(Duration::seconds(1)); }));
}

}  // namespace
}  // namespace longshore
