#include "engine/minutes.h"

#include <cstdint>

#include "unit/engine/stepped_engine.h"

namespace longshore {
namespace {

class MinuteRows : public SteppedEngine {
 protected:
  void enqueue_some(int count) {
    for (int i = 0; i < count; ++i) enqueue(new_job());
    commit_all();
  }
  // So that the rows are due to be sent.
  void let_two_seconds_pass() {
    clock.advance(Duration::seconds(2));
    engine->tick(now());
    commit_all();
  }
  // As /stats sums them up.
  std::int64_t stored() {
    std::int64_t enqueued = 0;
    for (const MinuteRow& row : backend->catalog().minutes("ns", Instant()).value()) {
      enqueued += row.enqueued;
    }
    return enqueued;
  }
};

TEST_F(MinuteRows, AreWrittenAgainWhenTheyChange) {
  enqueue_some(3);
  let_two_seconds_pass();
  EXPECT_EQ(stored(), 3);
  enqueue_some(2);
  let_two_seconds_pass();
  EXPECT_EQ(stored(), 5);
}

TEST_F(MinuteRows, AreSentAgainAfterACommitThatFailed) {
  enqueue_some(3);
  store->failure = Error{Errc::unavailable, "gone"};
  let_two_seconds_pass();
  EXPECT_EQ(stored(), 0);
  store->failure.reset();
  let_two_seconds_pass();
  EXPECT_EQ(stored(), 3);
}

TEST_F(MinuteRows, AreSentAgainWhenTheyChangedOnTheirWay) {
  enqueue_some(3);
  clock.advance(Duration::seconds(2));
  engine->tick(now());
  store->afterwards = [&] {
    enqueue(new_job());
    engine->commit_once();
  };
  commit_all();
  let_two_seconds_pass();
  EXPECT_EQ(stored(), 4);
}

TEST_F(MinuteRows, AreKeptUntilTheyAreStoredHoweverLongThatTakes) {
  enqueue_some(3);
  store->failure = Error{Errc::unavailable, "gone"};
  for (int i = 0; i < 5; ++i) {
    clock.advance(Duration::minutes(1));
    let_two_seconds_pass();
  }
  store->failure.reset();
  let_two_seconds_pass();
  EXPECT_EQ(stored(), 3);
}

TEST_F(MinuteRows, AreAddedToThoseBeforeARestartWithinTheSameMinute) {
  enqueue_some(3);
  engine->stop_dispatching();
  commit_all();
  restart({});
  enqueue_some(2);
  let_two_seconds_pass();
  EXPECT_EQ(stored(), 5);
}

TEST_F(MinuteRows, AreNotSentAgainOnceStored) {
  enqueue_some(3);
  let_two_seconds_pass();
  store->sizes.clear();
  for (int i = 0; i < 3; ++i) {
    let_two_seconds_pass();
    for (const Command& command : store->last) {
      EXPECT_FALSE(std::holds_alternative<RecordMinutes>(command));
    }
  }
  EXPECT_FALSE(store->sizes.empty());
}

// A commit of the store at this time that moved one job.
Committed one_move(Instant at) {
  JobEvent move{
      .ns = "ns", .job = {}, .type = "mail", .queue = "default", .transition = {}, .took = {}};
  move.transition.cause = Cause::enqueue;
  move.transition.at = at;
  return {.verdicts = {}, .events = {move}, .at = at};
}

// A node paces itself by a clock that begins at its boot, and rows carry the store's wall time: the
// two must not be compared.
TEST(Minutes, AreForgottenByTheStoresClock) {
  const Instant noon = Instant::millis(1'800'000'000'000);
  Minutes minutes(NodeId{});
  minutes.count(one_move(noon));
  minutes.acknowledge(minutes.take_changed().number);
  EXPECT_EQ(minutes.size(), 1U) << "a late commit may still add to this minute";
  minutes.count({.verdicts = {}, .events = {}, .at = noon + Duration::minutes(4)});
  EXPECT_TRUE(minutes.take_changed().rows.empty());
  EXPECT_EQ(minutes.size(), 0U);
}

TEST(Minutes, AreNotForgottenBeforeTheStoreHasThem) {
  const Instant noon = Instant::millis(1'800'000'000'000);
  Minutes minutes(NodeId{});
  minutes.count(one_move(noon));
  minutes.count({.verdicts = {}, .events = {}, .at = noon + Duration::minutes(4)});
  EXPECT_EQ(minutes.take_changed().rows.size(), 1U);
  EXPECT_EQ(minutes.size(), 1U);
}

}  // namespace
}  // namespace longshore
