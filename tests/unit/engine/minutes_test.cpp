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

}  // namespace
}  // namespace longshore
