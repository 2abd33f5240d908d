#include "store/sqlite/lanes.h"

#include "store/sqlite/schema.h"
#include "unit/store_sqlite/sqlite_test.h"

namespace longshore::sqlite {
namespace {

class LanesTest : public testing::Test {
 protected:
  LanesTest() {
    auto opened = Database::open(scratch_.file("lanes.db"), "", Database::Access::write);
    EXPECT_TRUE(opened.ok());
    database_ = std::move(*opened);
    EXPECT_TRUE(migrate(*database_, "lanes.db").ok());
    lanes_ = std::make_unique<Lanes>(*database_, 3, 5);
  }

  Job queued(std::int64_t order, int priority = 5) {
    Job job;
    job.id = {.high = 1, .low = static_cast<std::uint64_t>(order) * 10};
    job.state = State::queued;
    job.priority = priority;
    job.order = order;
    return job;
  }

  // As a transaction does: to memory, and then to the file.
  void enter(Lane& lane, const Job& job) {
    lanes_->enter(lane, job);
    Statement insert(*database_,
                     "INSERT INTO live(id, lane, priority, ord, state, number, created_at, version,"
                     " history_count, run_at, updated_at, execution, flags, attempt, failures, "
                     "crashes, retry_count, epoch, lease, history) VALUES "
                     "(?, ?, ?, ?, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '')");
    insert.run(job.id, lane.id, job.priority, job.order);
  }
  void leave(Lane& lane, const Job& job) {
    lanes_->leave(lane, job);
    Statement erase(*database_, "DELETE FROM live WHERE id = ?");
    erase.run(job.id);
  }
  bool sound() {
    std::vector<Finding> findings;
    lanes_->audit(findings);
    return findings.empty() && !database_->failed();
  }

  Scratch scratch_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Lanes> lanes_;
};

TEST_F(LanesTest, AreTheSameForTheSameNamesAndReadBack) {
  Lane& lane = lanes_->lane("ns", "q", "t");
  EXPECT_EQ(&lanes_->lane("ns", "q", "t"), &lane);
  EXPECT_NE(&lanes_->lane("ns", "qt", ""), &lanes_->lane("ns", "q", "t"));
  EXPECT_EQ(lanes_->find("ns", "other", "t"), nullptr);
  const std::int64_t id = lane.id;
  lanes_->load();
  ASSERT_NE(lanes_->find("ns", "q", "t"), nullptr);
  EXPECT_EQ(lanes_->find("ns", "q", "t")->id, id);
}

TEST_F(LanesTest, KeepAWindowOfTheFirstAndReadOnWhenItIsUsedUp) {
  Lane& lane = lanes_->lane("ns", "q", "t");
  for (int i = 1; i <= 10; ++i) enter(lane, queued(i));
  EXPECT_EQ(lane.window.size(), 3u);
  EXPECT_TRUE(sound());
  for (int i = 1; i <= 10; ++i) {
    SCOPED_TRACE(i);
    const auto first = lanes_->first(lane);
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(first->first.order, i);
    leave(lane, queued(i));
    EXPECT_TRUE(sound());
  }
  EXPECT_FALSE(lanes_->first(lane).has_value());
}

TEST_F(LanesTest, LetAnUrgentJobOvertakeWhatTheWindowHolds) {
  Lane& lane = lanes_->lane("ns", "q", "t");
  for (int i = 1; i <= 5; ++i) enter(lane, queued(i));
  enter(lane, queued(6, 0));
  enter(lane, queued(-1));
  EXPECT_EQ(lanes_->first(lane)->first.order, 6);
  EXPECT_EQ(lane.window.size(), 3u);
  EXPECT_TRUE(sound());
}

TEST_F(LanesTest, ShareTheirRoom) {
  Lane& full = lanes_->lane("ns", "a", "t");
  Lane& late = lanes_->lane("ns", "b", "t");
  Lane& last = lanes_->lane("ns", "c", "t");
  for (int i = 1; i <= 3; ++i) enter(full, queued(i));
  for (int i = 4; i <= 6; ++i) enter(late, queued(i));
  for (int i = 7; i <= 9; ++i) enter(last, queued(i));
  EXPECT_LE(lanes_->places(), 5u);
  EXPECT_TRUE(sound());
  EXPECT_EQ(lanes_->first(last)->first.order, 7);
  EXPECT_LE(lanes_->places(), 5u);
  EXPECT_TRUE(sound());
  EXPECT_EQ(lanes_->first(full)->first.order, 1);
  EXPECT_TRUE(sound());
}

TEST_F(LanesTest, CountJobsByStateAndRememberIt) {
  Lane& lane = lanes_->lane("ns", "q", "t");
  Job job = queued(1);
  enter(lane, job);
  leave(lane, job);
  job.state = State::running;
  lanes_->enter(lane, job);
  EXPECT_EQ(lane.queue->running, 1);
  EXPECT_EQ(lane.type->running, 1);
  lanes_->flush();
  lanes_->load();
  Lane* again = lanes_->find("ns", "q", "t");
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->count(State::running), 1);
  EXPECT_EQ(again->queue->running, 1);
  EXPECT_EQ(again->queued(), 0);
}

}  // namespace
}  // namespace longshore::sqlite
