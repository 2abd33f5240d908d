#include "server/handlers/pool_leases.h"

#include <gtest/gtest.h>

#include <future>

#include "core/policy/profiles.h"
#include "deadline.h"
#include "must.h"
#include "runtime/node/node_service.h"

namespace longshore {
namespace {

class PoolLeasesTest : public testing::Test {
 protected:
  PoolLeasesTest() {
    Rules rules = *profile("basic");
    rules.stuck_after = Duration();
    node_ = must(make_node("memory:", {.rules = rules}));
    EXPECT_TRUE(node_->start());
    leases_ = std::make_shared<PoolLeases>(node_);
  }

  JobId enqueue(const std::string& queue) {
    return Client(std::make_shared<NodeService>(node_))
        .enqueue({.type = "T", .options = {.queue = queue}})
        .value()
        .id;
  }

  // The worker of the queue "own" sends these commands and claims a job.
  Turned turn(std::vector<Command> words = {}) {
    Turn turn{.words = std::move(words)};
    turn.claim = Claim{.worker = "w", .queues = {"own"}, .types = std::vector<std::string>{"T"}};
    std::promise<Result<Turned>> came;
    leases_->begin_turn(std::move(turn), {},
                        [&](Result<Turned> turned) { came.set_value(std::move(turned)); });
    return must(in_time(came.get_future(), "the answer of a turn"));
  }

  std::shared_ptr<Node> node_;
  std::shared_ptr<PoolLeases> leases_;
};

TEST_F(PoolLeasesTest, ComeFromTheWorkersQueuesIfNoneIsStuck) {
  enqueue("other");
  EXPECT_TRUE(turn().leases->empty());
  const JobId own = enqueue("own");
  EXPECT_EQ(turn().leases->front().job, own);
}

TEST_F(PoolLeasesTest, ComeFromAStuckQueueFirst) {
  enqueue("own");
  const JobId late = enqueue("other");
  leases_->add_late("other");
  EXPECT_EQ(turn().leases->front().job, late);
}

TEST_F(PoolLeasesTest, ReturnTheVerdictsOfEitherClaim) {
  enqueue("own");
  const Lease first = turn().leases->front();
  leases_->add_late("other");
  const JobId second = enqueue("own");
  const Turned turned = turn({Complete{.job = first.job, .token = first.token}});
  ASSERT_EQ(turned.verdicts.size(), 1U);
  EXPECT_EQ(std::get<Settled>(turned.verdicts.front()).status, Status::completed);
  EXPECT_EQ(turned.leases->front().job, second);
}

TEST_F(PoolLeasesTest, ForgetAStuckQueueThatIsEmpty) {
  leases_->add_late("other");
  EXPECT_TRUE(turn().leases->empty());
  enqueue("other");
  EXPECT_TRUE(turn().leases->empty());
}

}  // namespace
}  // namespace longshore
