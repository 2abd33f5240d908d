// Starting and stopping a worker.
#include <unistd.h>

#include <csignal>
#include <thread>

#include "unit/worker/running_worker.h"

namespace longshore {
namespace {

class StoppingWorker : public RunningWorker {
 protected:
  // Advances the clock once a thread waits for it.
  void pass(Duration wait) {
    EXPECT_TRUE(leases->awaited(leases->now() + wait));
    harbour.advance(wait);
  }
};

TEST_F(StoppingWorker, MayBeStoppedBeforeTheStartAndTwice) {
  make({});
  worker->handle("T", [](Context&) { return ok(); });
  worker->stop();
  worker->stop();
  EXPECT_EQ(worker->start().error().code, Errc::refused);
  EXPECT_EQ(worker->run_pending().error().code, Errc::refused);
}

TEST_F(StoppingWorker, MayBeStartedTwiceAndStoppedWhileIdle) {
  make({.concurrency = 3});
  worker->handle("T", [](Context&) { return ok(); });
  EXPECT_TRUE(worker->start().ok());
  EXPECT_TRUE(worker->start().ok());
  EXPECT_EQ(ended(enqueue()).job.state, State::success);
  const StopReport report = worker->stop();
  EXPECT_EQ(report.released, 0);
  EXPECT_EQ(report.abandoned, 0);
}

TEST_F(StoppingWorker, TakesNoMoreJobs) {
  make({.concurrency = 2});
  worker->handle("T", [](Context&) { return ok(); });
  ASSERT_TRUE(worker->start().ok());
  worker->stop();
  const JobId id = enqueue();
  EXPECT_EQ(harbour.path(id), "CREATED QUEUED");
}

TEST_F(StoppingWorker, LetsHandlersFinishWithinTheGracePeriod) {
  make({.concurrency = 1});
  worker->handle("T", [&](Context& context) {
    running->happen();
    EXPECT_TRUE(eventually([&] { return context.worker_stopping(); }));
    EXPECT_FALSE(context.stop_requested());
    return ok();
  });
  ASSERT_TRUE(worker->start().ok());
  const JobId id = enqueue();
  ASSERT_TRUE(running->wait());
  EXPECT_EQ(worker->stop().released, 0);
  EXPECT_EQ(client.get(id)->job.state, State::success);
}

TEST_F(StoppingWorker, ReleasesUnfinishedJobsWithTheirCheckpointsAfterTheGracePeriod) {
  make({.concurrency = 1, .grace = Duration::seconds(20)});
  worker->handle("T", [inner = until_stopped()](Context& context) {
    EXPECT_TRUE(context.save_checkpoint(7).ok());
    return inner(context);
  });
  ASSERT_TRUE(worker->start().ok());
  const JobId id = enqueue();
  ASSERT_TRUE(running->wait());
  StopReport report;
  std::thread stopping([&] { report = worker->stop(); });
  pass(Duration::seconds(20));
  stopping.join();
  EXPECT_EQ(report.released, 1);
  EXPECT_EQ(report.abandoned, 0);
  EXPECT_EQ(*reason, StopReason::worker_stopped);
  EXPECT_EQ(harbour.path(id), "CREATED QUEUED RUNNING RETRY QUEUED");
  const JobRecord record = client.get(id).value();
  EXPECT_EQ(record.checkpoint, "7");
  EXPECT_EQ(record.job.failures, 0);
  EXPECT_EQ(record.job.crashes, 0);
}

TEST_F(StoppingWorker, AbandonsAHandlerThatDoesNotStop) {
  make({.concurrency = 1, .grace = Duration::seconds(2), .patience = Duration::seconds(1)});
  worker->handle("T", until_let_go());
  ASSERT_TRUE(worker->start().ok());
  const JobId id = enqueue();
  ASSERT_TRUE(running->wait());
  StopReport report;
  std::thread stopping([&] { report = worker->stop(); });
  pass(Duration::seconds(2));
  pass(Duration::seconds(1));
  stopping.join();
  EXPECT_EQ(report.released, 1);
  EXPECT_EQ(report.abandoned, 1);
  EXPECT_EQ(harbour.path(id), "CREATED QUEUED RUNNING RETRY QUEUED");
}

TEST_F(StoppingWorker, RunsUntilASignalArrives) {
  for (const int signal : {SIGTERM, SIGINT}) {
    make({.concurrency = 1});
    worker->handle("T", [](Context&) { return ok(); });
    const JobId id = enqueue();
    std::thread sender([&] {
      ended(id);
      ::kill(::getpid(), signal);
    });
    const Result<StopReport> report = worker->run_until_signal();
    sender.join();
    EXPECT_EQ(report.value().abandoned, 0);
    EXPECT_EQ(worker->start().error().code, Errc::refused);
  }
}

TEST_F(StoppingWorker, StopsEvenIfLongshoreStoppedFirst) {
  make({.concurrency = 2});
  worker->handle("T", [](Context&) { return ok(); });
  ASSERT_TRUE(worker->start().ok());
  harbour.longshore().stop();
  EXPECT_EQ(worker->stop().abandoned, 0);
  worker.reset();
}

}  // namespace
}  // namespace longshore
