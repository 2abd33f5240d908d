#include "store/sqlite/write/queue_type_index.h"

#include "store/sqlite/file/schema.h"
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
    queue_types_ = std::make_unique<QueueTypeIndex>(*database_, 3, 5);
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
  void enter(QueueType& queue_type, const Job& job) {
    queue_types_->enter(queue_type, job);
    Statement insert(*database_,
                     "INSERT INTO live(id, lane, priority, ord, state, number, created_at, version,"
                     " history_count, run_at, updated_at, execution, flags, attempt, failures, "
                     "crashes, retry_count, epoch, lease, history) VALUES "
                     "(?, ?, ?, ?, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, '')");
    insert.run(job.id, queue_type.id, job.priority, job.order);
  }
  void leave(QueueType& queue_type, const Job& job) {
    queue_types_->leave(queue_type, job);
    Statement erase(*database_, "DELETE FROM live WHERE id = ?");
    erase.run(job.id);
  }
  bool sound() {
    std::vector<Finding> findings;
    queue_types_->audit(findings);
    return findings.empty() && !database_->failed();
  }

  Scratch scratch_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<QueueTypeIndex> queue_types_;
};

TEST_F(LanesTest, AreTheSameForTheSameNamesAndReadBack) {
  QueueType& queue_type = queue_types_->queue_type("ns", "q", "t");
  EXPECT_EQ(&queue_types_->queue_type("ns", "q", "t"), &queue_type);
  EXPECT_NE(&queue_types_->queue_type("ns", "qt", ""), &queue_types_->queue_type("ns", "q", "t"));
  EXPECT_EQ(queue_types_->find("ns", "other", "t"), nullptr);
  const std::int64_t id = queue_type.id;
  queue_types_->load();
  ASSERT_NE(queue_types_->find("ns", "q", "t"), nullptr);
  EXPECT_EQ(queue_types_->find("ns", "q", "t")->id, id);
}

TEST_F(LanesTest, KeepAWindowOfTheFirstAndReadOnWhenItIsUsedUp) {
  QueueType& queue_type = queue_types_->queue_type("ns", "q", "t");
  for (int i = 1; i <= 10; ++i) enter(queue_type, queued(i));
  EXPECT_EQ(queue_type.window.size(), 3u);
  EXPECT_TRUE(sound());
  for (int i = 1; i <= 10; ++i) {
    SCOPED_TRACE(i);
    const auto first = queue_types_->first(queue_type);
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(first->first.order, i);
    leave(queue_type, queued(i));
    EXPECT_TRUE(sound());
  }
  EXPECT_FALSE(queue_types_->first(queue_type).has_value());
}

TEST_F(LanesTest, LetAnUrgentJobOvertakeWhatTheWindowHolds) {
  QueueType& queue_type = queue_types_->queue_type("ns", "q", "t");
  for (int i = 1; i <= 5; ++i) enter(queue_type, queued(i));
  enter(queue_type, queued(6, 0));
  enter(queue_type, queued(-1));
  EXPECT_EQ(queue_types_->first(queue_type)->first.order, 6);
  EXPECT_EQ(queue_type.window.size(), 3u);
  EXPECT_TRUE(sound());
}

TEST_F(LanesTest, ShareTheirRoom) {
  QueueType& full = queue_types_->queue_type("ns", "a", "t");
  QueueType& late = queue_types_->queue_type("ns", "b", "t");
  QueueType& last = queue_types_->queue_type("ns", "c", "t");
  for (int i = 1; i <= 3; ++i) enter(full, queued(i));
  for (int i = 4; i <= 6; ++i) enter(late, queued(i));
  for (int i = 7; i <= 9; ++i) enter(last, queued(i));
  EXPECT_LE(queue_types_->places(), 5u);
  EXPECT_TRUE(sound());
  EXPECT_EQ(queue_types_->first(last)->first.order, 7);
  EXPECT_LE(queue_types_->places(), 5u);
  EXPECT_TRUE(sound());
  EXPECT_EQ(queue_types_->first(full)->first.order, 1);
  EXPECT_TRUE(sound());
}

TEST_F(LanesTest, CountJobsByStateAndRememberIt) {
  QueueType& queue_type = queue_types_->queue_type("ns", "q", "t");
  Job job = queued(1);
  enter(queue_type, job);
  leave(queue_type, job);
  job.state = State::running;
  queue_types_->enter(queue_type, job);
  EXPECT_EQ(queue_type.queue->running, 1);
  EXPECT_EQ(queue_type.type->running, 1);
  queue_types_->flush();
  queue_types_->load();
  QueueType* again = queue_types_->find("ns", "q", "t");
  ASSERT_NE(again, nullptr);
  EXPECT_EQ(again->count(State::running), 1);
  EXPECT_EQ(again->queue->running, 1);
  EXPECT_EQ(again->queued(), 0);
}

}  // namespace
}  // namespace longshore::sqlite
