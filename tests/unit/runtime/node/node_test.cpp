#include "runtime/node/node.h"

#include <gtest/gtest.h>

#include <thread>

#include "core/ids/random.h"
#include "longshore/testing.h"
#include "runtime/node/node_service.h"
#include "runtime/os_random.h"
#include "store/memory/store.h"
#include "unit/worker/event.h"

namespace longshore {
namespace {

class NodeTest : public ::testing::Test {
 protected:
  std::shared_ptr<Node> make() {
    seed += 1;
    return Node::make({.time = time,
                       .random = std::make_unique<SeededRandom>(seed),
                       .backend = open_memory(disk, time->wall(), Rules()).value(),
                       .rules = Rules(),
                       .options = {.node_name = "test"}})
        .value();
  }

  std::uint64_t seed = 0;
  std::shared_ptr<ManualTime> time =
      std::make_shared<ManualTime>(Instant::millis(1'700'000'000'000));
  MemoryDisk disk;
};

TEST_F(NodeTest, MayBeStoppedBeforeItIsStartedAndTwice) {
  const std::shared_ptr<Node> node = make();
  node->stop();
  node->stop();
  EXPECT_EQ(node->start().error().code, Errc::refused);
  EXPECT_EQ(node->ask(Due{}).error().code, Errc::refused);
}

TEST_F(NodeTest, RefusesCommandsBeforeItIsStarted) {
  const std::shared_ptr<Node> node = make();
  EXPECT_EQ(node->ask(Due{}).error().code, Errc::refused);
  EXPECT_TRUE(node->start().ok());
  EXPECT_TRUE(node->start().ok());
  EXPECT_TRUE(node->ask(Due{}).ok());
}

TEST_F(NodeTest, MayBeStoppedFromSeveralThreads) {
  const std::shared_ptr<Node> node = make();
  node->start().value();
  std::vector<std::jthread> stopping;
  for (int i = 0; i < 4; ++i) stopping.emplace_back([&] { node->stop(); });
  stopping.clear();
  EXPECT_TRUE(node->out_of_service().has_value());
}

TEST_F(NodeTest, KeepsItsIdBesideItsData) {
  NodeId first;
  {
    const std::shared_ptr<Node> node = make();
    node->start().value();
    first = node->id;
    node->stop();
  }
  EXPECT_EQ(make()->id, first);
}

TEST_F(NodeTest, CommitsWhatWasSaidBeforeItStopped) {
  const std::shared_ptr<Node> node = make();
  node->start().value();
  std::atomic<int> acknowledged = 0;
  std::atomic<bool> refused = false;
  Event busy;
  {
    std::vector<std::jthread> producers;
    for (int i = 0; i < 4; ++i) {
      producers.emplace_back([&] {
        Client client(std::make_shared<NodeService>(node));
        while (true) {
          const Result<EnqueuedJob> job = client.enqueue({.type = "T"});
          if (!job) {
            refused = true;
            return;
          }
          acknowledged += 1;
          busy.happen();
        }
      });
    }
    EXPECT_TRUE(busy.wait(100));
    node->stop();
  }
  EXPECT_TRUE(refused);
  EXPECT_EQ(static_cast<int>(disk.jobs.size()), acknowledged);
}

TEST_F(NodeTest, KnowsTheLimitsThatItsStoreWasGivenBefore) {
  const std::vector<Command> rules = {
      Configure{.queues = {{.ns = "default", .queue = "default", .max_running = 1}}}};
  ASSERT_TRUE(open_memory(disk, time->wall(), Rules()).value()->store().commit(rules).ok());
  const std::shared_ptr<Node> node = make();
  node->start().value();
  Client client(std::make_shared<NodeService>(node));
  for (int i = 0; i < 2; ++i) client.enqueue({.type = "T"}).value();
  const Claim first{.id = {1, 1}, .ns = "default", .worker = "w"};
  const Lease held = node->ask_for<Leased>(first)->leases.at(0);
  Event came;
  const Claim second{.id = {2, 2}, .ns = "default", .worker = "w"};
  node->engine().claim(second, time->now(), Duration::hours(1),
                       [&](const Result<Answered>&) { came.happen(); });
  // Time does not pass, so that only hints cause a retry.
  node->ask_for<Settled>(Complete{.ns = "default", .job = held.job, .token = held.token}).value();
  EXPECT_TRUE(came.wait());
  node->stop();
}

TEST(NodeRecovery, TakesBackWhatItsOwnWorkersHeld) {
  testing::Harbour harbour;
  const JobId id = harbour.client().enqueue({.type = "T"}).value().id;
  const auto leases = harbour.longshore().leases();
  const Lease lost = leases->claim({}, Duration()).value().at(0);
  harbour.restart();
  EXPECT_EQ(harbour.path(id), "CREATED QUEUED RUNNING RETRY QUEUED");
  const JobRecord record = harbour.client().get(id).value();
  EXPECT_EQ(record.job.failures, 0);
  EXPECT_EQ(record.job.crashes, 0);
  const auto told =
      harbour.longshore().leases()->tell({Complete{.job = lost.job, .token = lost.token}});
  EXPECT_EQ(std::get<Refusal>(told.value().at(0)).code, Code::lease_lost);
}

TEST(OsRandom, DoesNotRepeatItself) {
  OsRandom one;
  OsRandom two;
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 100; ++i) {
    seen.insert(one.next());
    seen.insert(two.next());
  }
  EXPECT_EQ(seen.size(), 200U);
}

}  // namespace
}  // namespace longshore
