#include "runtime/engine_leases.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "core/ids/random.h"
#include "longshore/testing.h"
#include "must.h"
#include "runtime/node/node_service.h"
#include "store/memory/store.h"
#include "unit/api/troubled_store.h"
#include "unit/worker/event.h"

namespace longshore {
namespace {

class EngineLeasesTest : public ::testing::Test {
 protected:
  JobId enqueue() { return must(client.enqueue({.type = "T"})).id; }
  // Time passes until it has happened; at the latest when the node is stopped, which answers
  // whoever waits.
  void expect_in_time(Event& over) {
    const auto ended = eventually([&] { return over.count() > 0; },
                                  [&] { harbour.advance(Duration::seconds(1)); });
    EXPECT_TRUE(ended);
    if (!ended) harbour.longshore().stop();
  }

  testing::Harbour harbour;
  Client client = harbour.client();
  std::shared_ptr<Leases> leases = harbour.longshore().leases();
};

TEST_F(EngineLeasesTest, SettleAndClaimInOneTurn) {
  const JobId first = enqueue();
  const JobId second = enqueue();
  const Lease lease = leases->claim({}, Duration()).value().at(0);
  EXPECT_EQ(lease.job, first);
  const Turned turned =
      leases
          ->turn({.words = {Complete{.job = lease.job, .token = lease.token}}, .claim = Claim{}},
                 {})
          .value();
  EXPECT_EQ(std::get<Settled>(turned.verdicts.at(0)).status, Status::completed);
  EXPECT_EQ(turned.leases.value().at(0).job, second);
  EXPECT_EQ(turned.at, harbour.now());
}

TEST_F(EngineLeasesTest, AnswerLaterWhoeverHasSomethingElseToDo) {
  Event answered;
  JobId got;
  leases->begin_turn({.claim = Claim{}, .wait = Duration::hours(1)}, {},
                     [&](Result<Turned> turned) {
                       got = turned.value().leases.value().at(0).job;
                       answered.happen();
                     });
  const JobId id = enqueue();
  ASSERT_TRUE(answered.wait());
  EXPECT_EQ(got, id);
}

TEST_F(EngineLeasesTest, AnswerAtOnceWhatIsNotToBeSaid) {
  int answers = 0;
  leases->begin_turn({.words = {Due{}}}, {}, [&](const Result<Turned>& turned) {
    EXPECT_EQ(turned.error().code, Errc::invalid);
    answers += 1;
  });
  leases->begin_turn({}, {}, [&](const Result<Turned>& turned) {
    EXPECT_TRUE(turned.ok());
    answers += 1;
  });
  EXPECT_EQ(answers, 2);
}

TEST_F(EngineLeasesTest, AnswerWithinTheStopThatEndsAWaitingClaim) {
  std::stop_source stop;
  Event answered;
  leases->begin_turn({.claim = Claim{}, .wait = Duration::hours(1)}, stop.get_token(),
                     [&](const Result<Turned>& turned) {
                       EXPECT_TRUE(turned.value().leases.value().empty());
                       answered.happen();
                     });
  stop.request_stop();
  EXPECT_TRUE(answered.wait());
}

TEST_F(EngineLeasesTest, NameTheNodeThatHoldsTheJob) {
  const JobId id = enqueue();
  leases->claim({}, Duration()).value();
  const Job job = client.get(id).value().job;
  ASSERT_TRUE(job.node.has_value());
  EXPECT_EQ(job.worker, to_hex(*job.node));
}

TEST_F(EngineLeasesTest, AnswerAnEmptyClaimAtOnceThatIsNotToWait) {
  EXPECT_TRUE(leases->claim({}, Duration()).value().empty());
}

TEST_F(EngineLeasesTest, GiveAWaitingClaimTheJobThatComes) {
  JobId got;
  std::thread waiting([&] { got = leases->claim({}, Duration::hours(1)).value().at(0).job; });
  const JobId id = enqueue();
  waiting.join();
  EXPECT_EQ(got, id);
}

TEST_F(EngineLeasesTest, AnswerAWaitingClaimWhenItsTimeIsOver) {
  Event over;
  std::thread waiting([&] {
    EXPECT_TRUE(leases->claim({}, Duration::seconds(5)).value().empty());
    over.happen();
  });
  expect_in_time(over);
  waiting.join();
}

TEST_F(EngineLeasesTest, LoseNoJobWhenAWaitingClaimIsStopped) {
  for (int round = 0; round < 50; ++round) {
    std::stop_source stop;
    std::vector<Lease> got;
    std::thread waiting(
        [&] { got = leases->claim({}, Duration::hours(1), stop.get_token()).value(); });
    std::thread stopping([&] { stop.request_stop(); });
    const JobId id = enqueue();
    waiting.join();
    stopping.join();
    // Its owner settles it: the stopped worker, or the next.
    if (got.empty()) got = leases->claim({}, Duration::hours(1)).value();
    ASSERT_EQ(got.at(0).job, id);
    leases->tell({Complete{.job = id, .token = got[0].token}}).value();
    EXPECT_EQ(client.get(id)->job.crashes, 0);
  }
}

TEST(EngineLeasesInTrouble, GiveBackWhatTheyClaimedWhenTheirWordsWereLost) {
  const auto time = std::make_shared<ManualTime>(Instant::millis(1'700'000'000'000));
  const auto trouble = std::make_shared<Trouble>();
  MemoryDisk disk;
  const std::shared_ptr<Node> node =
      must(Node::make({.time = time,
                       .random = std::make_unique<SeededRandom>(7),
                       .backend = std::make_unique<TroubledBackend>(
                           must(open_memory(disk, time->wall(), Rules())), trouble),
                       .rules = Rules(),
                       .options = {.node_name = "test"}}));
  must(node->start());
  Client client{std::make_shared<NodeService>(node)};
  EngineLeases leases(node);
  must(client.enqueue({.type = "T"}));
  const Lease held = must(leases.claim({}, Duration())).at(0);
  const JobId next = must(client.enqueue({.type = "T"})).id;
  trouble->fail_by([](auto commands) -> std::optional<Error> {
    if (!std::holds_alternative<Complete>(commands.front())) return std::nullopt;
    return Error{Errc::unavailable, "a bad day"};
  });
  // While a commit is under way everything gathers. The words fill the next one, so that the claim
  // goes with the one after it.
  trouble->hold(true);
  node->engine().submit(Due{}, [](const Result<Answered>&) {});
  trouble->wait_for_commit();
  const Complete word{.job = held.job, .token = held.token};
  std::promise<Result<Turned>> came;
  leases.begin_turn({.words = std::vector<Command>(1024, word), .claim = Claim{}}, {},
                    [&](Result<Turned> turned) { came.set_value(std::move(turned)); });
  trouble->hold(false);
  const Result<Turned> turned = in_time(came.get_future(), "the answer of a turn");
  ASSERT_FALSE(turned.ok());
  EXPECT_EQ(turned.error().code, Errc::unavailable);
  EXPECT_TRUE(eventually([&] { return must(client.get(next)).job.state == State::queued; }));
  EXPECT_EQ(must(client.get(next)).job.attempt, 1) << "it had been claimed";
}

TEST_F(EngineLeasesTest, RefuseWordsThatAreNoWorkers) {
  EXPECT_EQ(leases->tell({Due{}}).error().code, Errc::invalid);
}

TEST_F(EngineLeasesTest, TellWhyAClaimIsRefused) {
  const Result<std::vector<Lease>> refused =
      leases->claim({.lease = Duration::millis(1)}, Duration::hours(1));
  EXPECT_EQ(refused.error().refusal, Code::invalid_field);
}

TEST_F(EngineLeasesTest, SayThatTheNodeHasStopped) {
  harbour.longshore().stop();
  EXPECT_EQ(leases->claim({}, Duration()).error().code, Errc::refused);
}

TEST_F(EngineLeasesTest, PaceByTheNodesTime) {
  const Instant until = leases->now() + Duration::seconds(3);
  Event over;
  std::thread waiting([&] {
    leases->wait_until(until, {});
    EXPECT_GE(leases->now(), until);
    over.happen();
  });
  expect_in_time(over);
  waiting.join();
  std::stop_source stop;
  stop.request_stop();
  leases->wait_until(Instant::never(), stop.get_token());
}

}  // namespace
}  // namespace longshore
