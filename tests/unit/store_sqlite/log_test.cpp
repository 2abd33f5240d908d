// The log of a store on which reads and writes never rest.
#include <atomic>
#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "faults/raw_sqlite.h"
#include "store/sqlite/file/log_limiter.h"
#include "unit/store_sqlite/sqlite_test.h"

namespace longshore {
namespace {

using sqlite::LogLimiter;

// Called for each row that SQLite finds for this thread, while the thread holds a snapshot of the
// store. Whatever takes long there makes the read take long, whatever the machine is busy with.
thread_local std::function<void(const std::string& sql)> at_row;

int tell_rows(sqlite3* connection, char**, const sqlite3_api_routines*) {
  const auto told = [](unsigned, void*, void* statement, void*) {
    const char* const sql = sqlite3_sql(static_cast<sqlite3_stmt*>(statement));
    if (at_row && sql != nullptr) at_row(sql);  // SQLite's own questions have no text
    return 0;
  };
  return sqlite3_trace_v2(connection, SQLITE_TRACE_ROW, told, nullptr);
}

class SqliteLog : public SqliteTest {
 protected:
  SqliteLog() { sqlite3_auto_extension(reinterpret_cast<void (*)()>(tell_rows)); }
  ~SqliteLog() override {
    sqlite3_cancel_auto_extension(reinterpret_cast<void (*)()>(tell_rows));
    at_row = nullptr;
  }

  // At least 25 pages for each hundred.
  void enqueue_many(int count) {
    Enqueue many{.ns = "default", .jobs = {}};
    for (int i = 0; i < count; ++i) {
      NewJob one = job();
      one.body.payload = '"' + std::string(1000, 'x') + '"';
      many.jobs.push_back(std::move(one));
    }
    const std::uintmax_t before = log_bytes();
    commit({std::move(many)});
    most_at_once_ = std::max(most_at_once_, log_bytes() - before);
  }
  std::uintmax_t log_bytes() const { return std::filesystem::file_size(options_.path + "-wal"); }
  // So long is a log that was too long and then has grown by so many commits, at twice the size
  // that was seen, since they differ. What can be written in a given time depends on the machine,
  // so the log is measured in commits.
  std::uintmax_t too_long_and(int commits) const {
    const auto pages_max = static_cast<std::uintmax_t>(options_.writer.log_pages_max);
    return pages_max * 4096 + static_cast<std::uintmax_t>(commits) * 2 * most_at_once_;
  }

 private:
  std::uintmax_t most_at_once_ = 0;  // by which a commit made the file longer
};

// Threads that read and read again. Each read lasts for so many commits and has ended before the
// next; there is one under way at each commit.
class EndlessReads {
 public:
  EndlessReads(Catalog& catalog, int threads, int commits) : catalog_(catalog), length_(commits) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { read_again_and_again(); });
  }
  ~EndlessReads() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
  }
  EndlessReads(const EndlessReads&) = delete;
  EndlessReads& operator=(const EndlessReads&) = delete;

  void wait_before_commit() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !under_way_.empty() && *under_way_.begin() > commits_; });
  }
  void committed() {
    {
      const std::lock_guard lock(mutex_);
      commits_ += 1;
    }
    changed_.notify_all();
  }
  int ended() {
    const std::lock_guard lock(mutex_);
    return ended_;
  }

 private:
  void read_again_and_again() {
    std::optional<int> last;  // how many commits there are when the read under way ends
    at_row = [&](const std::string&) {
      if (!last) last = hold();
    };
    while (!is_over()) {
      const auto read = catalog_.queues("default");
      EXPECT_TRUE(read.ok()) << read.error().message;
      if (last) end(*std::exchange(last, std::nullopt));
    }
  }
  bool is_over() {
    const std::lock_guard lock(mutex_);
    return over_;
  }
  int hold() {
    std::unique_lock lock(mutex_);
    const int last = commits_ + length_;
    under_way_.insert(last);
    changed_.notify_all();
    changed_.wait(lock, [&] { return over_ || commits_ >= last; });
    return last;
  }
  void end(int last) {
    {
      const std::lock_guard lock(mutex_);
      under_way_.erase(under_way_.find(last));
      ended_ += 1;
    }
    changed_.notify_all();
  }

  // Constant after construction.
  Catalog& catalog_;
  const int length_;

  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_.
  int commits_ = 0;
  int ended_ = 0;
  bool over_ = false;
  std::multiset<int> under_way_;  // by how many commits there are when they end

  std::vector<std::jthread> threads_;  // joined first
};

// Once the log is too long no read is let in. Those that were, at most one of each thread, end one
// after the other at worst, and the log begins anew.
TEST_F(SqliteLog, StaysShortWhileReadsOverlap) {
  options_.writer.checkpoint_pages = 64;
  options_.writer.log_pages_max = 256;
  options_.read_max = Duration::forever();
  open();
  enqueue_many(1);
  constexpr int threads = 3;
  constexpr int commits_per_read = 4;
  constexpr int commits = 150;
  std::uintmax_t longest = 0;
  {
    EndlessReads reads(catalog(), threads, commits_per_read);
    for (int i = 0; i < commits; ++i) {
      reads.wait_before_commit();
      enqueue_many(100);
      reads.committed();
      longest = std::max(longest, log_bytes());
    }
    EXPECT_GT(reads.ended(), commits / commits_per_read / 2);
  }
  RecordProperty("longest_log_bytes", std::to_string(longest));
  EXPECT_GT(longest, too_long_and(0)) << "the reads kept nothing from being copied";
  EXPECT_LT(longest, too_long_and(threads * commits_per_read + 2));
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

// What checks the file holds the log for as long as it takes. Once that is far too long it is
// interrupted, one part after the other, until the store is less busy.
TEST_F(SqliteLog, StaysShortWhileTheStoreIsChecked) {
  options_.writer.checkpoint_pages = 64;
  options_.writer.log_pages_max = 256;
  options_.read_max = Duration::forever();
  open();
  enqueue_many(100);
  constexpr int commits_per_part = 25;  // more than twice 256 pages
  int parts = 0;
  at_row = [&](const std::string& sql) {
    if (!sql.starts_with("PRAGMA integrity_check") || parts == 6) return;
    parts += 1;
    for (int i = 0; i < commits_per_part; ++i) enqueue_many(100);
  };
  const auto busy = catalog().audit();
  at_row = nullptr;
  ASSERT_FALSE(busy.ok()) << "nothing was interrupted";
  EXPECT_EQ(busy.error().code, Errc::overloaded) << busy.error().message;
  EXPECT_EQ(parts, 6);
  EXPECT_LT(log_bytes(), too_long_and(commits_per_part + 2));
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

// A busy machine may take a while to end a read. Who was let in before that would be one more to
// wait for, and the log would go on growing.
TEST(LogLimiter, LetsNobodyInWhileABriefReadIsUnderWayHoweverLongItTakes) {
  LogLimiter gate(std::chrono::milliseconds(0));
  gate.enter(LogLimiter::Read::brief);
  EXPECT_FALSE(gate.close(LogLimiter::Close::politely));
  std::atomic<bool> asked = false;
  std::atomic<bool> entered = false;
  std::jthread waiting([&] {
    asked = true;
    gate.enter(LogLimiter::Read::brief);
    entered = true;
  });
  while (!asked) std::this_thread::yield();
  for (int i = 0; i < 10'000 && !entered; ++i) std::this_thread::yield();
  EXPECT_FALSE(entered);
  EXPECT_TRUE(gate.leave(LogLimiter::Read::brief));
  waiting.join();
  EXPECT_TRUE(entered) << "what keeps it closed now is not a read of this program";
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
