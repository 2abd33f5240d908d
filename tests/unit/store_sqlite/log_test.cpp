// The log of a store on which reads and writes never rest.
#include <atomic>
#include <filesystem>
#include <thread>

#include "faults/raw_sqlite.h"
#include "store/sqlite/file/log_limiter.h"
#include "unit/store_sqlite/sqlite_test.h"

namespace longshore {
namespace {

using sqlite::LogLimiter;

class SqliteLog : public SqliteTest {
 protected:
  void enqueue_many(int count) {
    Enqueue many{.ns = "default", .jobs = {}};
    for (int i = 0; i < count; ++i) {
      NewJob one = job();
      one.body.payload = '"' + std::string(1000, 'x') + '"';
      many.jobs.push_back(std::move(one));
    }
    commit({std::move(many)});
  }
  // Even a small part of an answer may take too long, and an audit may be interrupted.
  template <class T>
  static void expect_read(const Result<T>& answer) {
    if (!answer) {
      EXPECT_EQ(answer.error().code, Errc::overloaded) << answer.error().message;
    }
  }
  std::uintmax_t log_bytes() const { return std::filesystem::file_size(options_.path + "-wal"); }
};

TEST_F(SqliteLog, StaysShortWhileReadsOverlap) {
  options_.writer.checkpoint_pages = 64;
  options_.writer.log_pages_max = 256;  // 1 MiB
  options_.read_max = Duration::millis(100);
  open();
  for (int i = 0; i < 20; ++i) enqueue_many(100);
  std::atomic<bool> over = false;
  std::atomic<int> reads = 0;
  std::vector<std::jthread> scanning;
  for (int i = 0; i < 4; ++i) {
    scanning.emplace_back([&] {
      while (!over) {
        expect_read(catalog().list({.ns = "default", .error = "nothing"}));
        reads += 1;
      }
    });
  }
  std::uintmax_t longest = 0;
  for (int i = 0; i < 300; ++i) {  // 30 MiB of payloads
    enqueue_many(100);
    longest = std::max(longest, log_bytes());
  }
  over = true;
  scanning.clear();
  RecordProperty("longest_log_bytes", std::to_string(longest));
  EXPECT_LT(longest, 16U * 1024 * 1024);
  EXPECT_GT(reads, 0);
}

TEST_F(SqliteLog, IsReadInSlicesByWhatGoesThroughAllJobs) {
  options_.writer.checkpoint_pages = 64;
  options_.writer.log_pages_max = 256;
  open();
  for (int i = 0; i < 30; ++i) enqueue_many(100);
  int seen = 0;
  JobId last;
  const auto walked = catalog().each([&](const JobRecord& record) {
    EXPECT_LT(last, record.job.id);
    last = record.job.id;
    seen += 1;
    if (seen % 500 == 0) enqueue_many(100);  // writes go on meanwhile, and are met too
    EXPECT_LT(log_bytes(), 4U * 1024 * 1024);
    return seen < 10'000;
  });
  EXPECT_TRUE(walked.ok());
  EXPECT_GT(seen, 3000);
}

// Reads that are not brief hold the log for as long as they take, one after the other.
TEST_F(SqliteLog, StaysShortWhileAuditsOverlap) {
  options_.writer.checkpoint_pages = 64;
  options_.writer.log_pages_max = 256;  // 1 MiB; at twice that they are interrupted
  options_.read_max = Duration::millis(100);
  open();
  for (int i = 0; i < 50; ++i) enqueue_many(100);
  std::atomic<bool> over = false;
  std::atomic<int> audits = 0;
  std::vector<std::jthread> auditing;
  for (int i = 0; i < 4; ++i) {
    auditing.emplace_back([&] {
      while (!over) {
        const auto audit = catalog().audit();
        expect_read(audit);
        if (audit) {
          EXPECT_TRUE(audit->sound());
        }
        audits += 1;
      }
    });
  }
  std::uintmax_t longest = 0;
  for (int i = 0; i < 300; ++i) {  // 30 MiB of payloads
    enqueue_many(100);
    longest = std::max(longest, log_bytes());
  }
  over = true;
  auditing.clear();
  RecordProperty("longest_log_bytes", std::to_string(longest));
  EXPECT_LT(longest, 16U * 1024 * 1024);
  EXPECT_GT(audits, 0);
  const auto quiet = catalog().audit();
  ASSERT_TRUE(quiet.ok()) << quiet.error().message;
  EXPECT_TRUE(quiet->sound());
}

TEST_F(SqliteLog, IsNotHeldByAReadThatTakesTooLong) {
  options_.read_max = Duration();
  open();
  Enqueue many{.ns = "default", .jobs = {}};
  for (int i = 0; i < 2000; ++i) many.jobs.push_back(job({.queue = "q" + std::to_string(i)}));
  commit({std::move(many)});
  const auto queues = catalog().queues("default");
  ASSERT_FALSE(queues.ok());
  EXPECT_EQ(queues.error().code, Errc::overloaded) << queues.error().message;
  // A short one has ended before anybody looks.
  EXPECT_TRUE(catalog().queues("other").ok());
}

TEST_F(SqliteLog, IsReadInPartsByWhatWouldTakeTooLong) {
  options_.read_max = Duration();
  open();
  for (int i = 0; i < 5; ++i) enqueue_many(400);
  const Instant first = Instant::millis(1'799'999'940'000);
  RecordMinutes minutes;
  for (int i = 0; i < 3000; ++i) {
    const Instant minute = first - Duration::seconds(60 * i);
    minutes.rows.push_back({.minute = minute, .ns = "default", .queue = "q", .type = "t"});
  }
  commit({minutes});
  const auto listed = catalog().list({.ns = "default", .error = "nothing"});
  ASSERT_TRUE(listed.ok()) << listed.error().message;
  EXPECT_TRUE(listed->jobs.empty());
  const auto page = catalog().list({.ns = "default", .limit = 1500});
  ASSERT_TRUE(page.ok()) << page.error().message;
  EXPECT_EQ(page->jobs.size(), 1500U);
  EXPECT_TRUE(page->next.has_value());
  EXPECT_EQ(dump().size(), 2000U);
  const auto counted = catalog().minutes("default", Instant());
  ASSERT_TRUE(counted.ok()) << counted.error().message;
  ASSERT_EQ(counted->size(), 3000U);
  EXPECT_EQ(counted->back().minute, first);
  const auto audit = catalog().audit();
  ASSERT_TRUE(audit.ok()) << audit.error().message;
  EXPECT_EQ(audit->jobs_checked, 2000);
  EXPECT_TRUE(audit->sound());
}

TEST(LogLimiter, LetsReadsInUntilItIsClosedAndTellsWhenTheLastHasLeft) {
  LogLimiter gate;
  gate.enter(LogLimiter::Read::brief);
  EXPECT_FALSE(gate.leave(LogLimiter::Read::brief)) << "nobody waits";
  gate.enter(LogLimiter::Read::brief);
  gate.enter(LogLimiter::Read::brief);
  EXPECT_FALSE(gate.close(LogLimiter::Close::politely));
  EXPECT_FALSE(gate.leave(LogLimiter::Read::brief));
  EXPECT_TRUE(gate.leave(LogLimiter::Read::brief));
  std::atomic<bool> entered = false;
  std::jthread waiting([&] {
    gate.enter(LogLimiter::Read::brief);
    entered = true;
  });
  gate.open();
  waiting.join();
  EXPECT_TRUE(entered);
}

TEST(LogLimiter, StaysOpenWhileSomebodyReadsAtLengthUntilTheWriterInsists) {
  LogLimiter gate;
  gate.enter(LogLimiter::Read::lengthy);
  EXPECT_FALSE(gate.close(LogLimiter::Close::politely));
  gate.enter(LogLimiter::Read::brief);
  EXPECT_FALSE(gate.leave(LogLimiter::Read::brief)) << "it is open";
  EXPECT_FALSE(gate.close(LogLimiter::Close::insisting));
  EXPECT_TRUE(gate.leave(LogLimiter::Read::lengthy)) << "the writer waits for it";
  EXPECT_TRUE(gate.close(LogLimiter::Close::politely));
}

TEST(LogLimiter, InterruptsALengthyReadWhenTheWriterInsists) {
  LogLimiter gate;
  faults::RawSqlite database(":memory:", "");
  std::atomic<bool> over = false;
  std::atomic<int> code = SQLITE_OK;
  gate.enter(LogLimiter::Read::lengthy);
  gate.may_interrupt(database.get());
  std::jthread reading([&] {
    code = database.run(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n");
    gate.is_over(database.get());
    over = true;
  });
  EXPECT_FALSE(gate.close(LogLimiter::Close::politely));
  // As the writer does after each commit. That the query would never end is what makes it a test.
  while (!over) {
    gate.close(LogLimiter::Close::insisting);
    std::this_thread::yield();
  }
  EXPECT_EQ(code, SQLITE_INTERRUPT);
  EXPECT_TRUE(gate.leave(LogLimiter::Read::lengthy));
}

}  // namespace
}  // namespace longshore
