// Concurrency within the limits.
#include <map>
#include <mutex>
#include <thread>

#include "unit/worker/running_worker.h"

namespace longshore {
namespace {

using ConcurrentWorker = RunningWorker;

// Counts running handlers, and their maximum.
class Gauge {
 public:
  void enter() {
    const int now = ++running_;
    int most = most_;
    while (now > most && !most_.compare_exchange_weak(most, now)) {
    }
  }
  void leave() { --running_; }
  int most() const { return most_; }

 private:
  std::atomic<int> running_ = 0;
  std::atomic<int> most_ = 0;
};

Handler gauged(Gauge& gauge) {
  return [&gauge](Context&) {
    gauge.enter();
    std::this_thread::yield();
    gauge.leave();
    return ok();
  };
}

TEST_F(ConcurrentWorker, RunsAsManyJobsAtOnceAsItsConcurrency) {
  make({.concurrency = 4});
  worker->handle("T", until_let_go());
  ASSERT_TRUE(worker->start().ok());
  std::vector<JobId> jobs;
  for (int i = 0; i < 4; ++i) jobs.push_back(enqueue());
  EXPECT_TRUE(running->wait(4));
  go_on->happen();
  for (const JobId& id : jobs) EXPECT_EQ(ended(id).job.state, State::success);
}

TEST_F(ConcurrentWorker, StaysWithinTheLimitsOfTypesAndQueues) {
  make({.concurrency = 6, .queues = {{"default"}, {"narrow", 2}}});
  Gauge limited;
  Gauge narrow;
  Gauge free;
  worker->handle("limited", gauged(limited), {.concurrency = 1});
  worker->handle("narrow", gauged(narrow));
  worker->handle("free", gauged(free));
  ASSERT_TRUE(worker->start().ok());
  std::vector<JobId> jobs;
  for (int i = 0; i < 60; ++i) {
    jobs.push_back(enqueue("limited"));
    jobs.push_back(enqueue("narrow", {.queue = "narrow"}));
    jobs.push_back(enqueue("free"));
  }
  for (const JobId& id : jobs) EXPECT_EQ(ended(id).job.attempt, 1);
  EXPECT_EQ(limited.most(), 1);
  EXPECT_LE(narrow.most(), 2);
}

TEST_F(ConcurrentWorker, RunsOtherTypesWhenOneTypeIsAtItsLimit) {
  make({.concurrency = 3});
  worker->handle("limited", until_let_go(), {.concurrency = 1});
  worker->handle("free", [](Context&) { return ok(); });
  ASSERT_TRUE(worker->start().ok());
  const JobId first = enqueue("limited");
  const JobId second = enqueue("limited");
  ASSERT_TRUE(running->wait());
  for (int i = 0; i < 20; ++i) EXPECT_EQ(ended(enqueue("free")).job.state, State::success);
  EXPECT_EQ(running->count(), 1);
  go_on->happen();
  EXPECT_EQ(ended(first).job.state, State::success);
  EXPECT_EQ(ended(second).job.state, State::success);
}

// With leases that answer later, or that block.
class CrowdedWorker : public RunningWorker, public ::testing::WithParamInterface<bool> {};

TEST_P(CrowdedWorker, RunsEachOfManyJobsOnce) {
  leases->blocks = GetParam();
  make({.concurrency = 8});
  std::mutex mutex;
  std::map<JobId, int> runs;
  worker->handle("T", [&](Context& context) {
    const std::lock_guard lock(mutex);
    runs[context.job()] += 1;
    return ok();
  });
  ASSERT_TRUE(worker->start().ok());
  {
    std::vector<std::jthread> producers;
    for (int i = 0; i < 4; ++i) {
      producers.emplace_back([&] {
        for (int n = 0; n < 100; ++n) enqueue();
      });
    }
  }
  for (const JobRecord& job : harbour.jobs("T")) {
    EXPECT_EQ(ended(job.job.id).job.state, State::success);
  }
  worker->stop();
  EXPECT_EQ(runs.size(), 400U);
  for (const auto& [id, count] : runs) EXPECT_EQ(count, 1);
  EXPECT_TRUE(harbour.longshore().catalog().audit()->sound());
}

INSTANTIATE_TEST_SUITE_P(, CrowdedWorker, ::testing::Bool(), [](const auto& chosen) {
  return chosen.param ? "WaitingForEachAnswer" : "DoingSomethingElseMeanwhile";
});

TEST_F(ConcurrentWorker, MayEnqueueFromAHandler) {
  make({.concurrency = 1});
  worker->handle("parent", [this](Context&) {
    return ok(to_text(client.enqueue({.type = "child"}).value().id));
  });
  worker->handle("child", [](Context&) { return ok(); });
  ASSERT_TRUE(worker->start().ok());
  const std::string child =
      client.result_as<std::string>(enqueue("parent"), Duration::hours(1)).value();
  EXPECT_EQ(ended(*parse_job_id(child)).job.state, State::success);
}

}  // namespace
}  // namespace longshore
