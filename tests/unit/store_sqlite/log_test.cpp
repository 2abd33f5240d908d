// The log of a store on which reads and writes never rest.
#include <atomic>
#include <filesystem>
#include <thread>

#include "store/sqlite/log_gate.h"
#include "unit/store_sqlite/sqlite_test.h"

namespace longshore {
namespace {

using sqlite::LogGate;

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
  std::uintmax_t log_bytes() const { return std::filesystem::file_size(options_.path + "-wal"); }
};

TEST_F(SqliteLog, StaysShortWhileReadsOverlap) {
  options_.writer.checkpoint_pages = 64;
  options_.writer.log_pages_max = 256;  // 1 MiB
  open();
  for (int i = 0; i < 20; ++i) enqueue_many(100);
  std::atomic<bool> over = false;
  std::atomic<int> reads = 0;
  std::vector<std::jthread> scanning;
  for (int i = 0; i < 4; ++i) {
    scanning.emplace_back([&] {
      while (!over) {
        EXPECT_TRUE(catalog().list({.ns = "default", .error = "nothing"}).ok());
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

TEST(LogGate, LetsReadsInUntilItIsClosedAndTellsWhenTheLastHasLeft) {
  LogGate gate;
  gate.enter(LogGate::Read::brief);
  EXPECT_FALSE(gate.leave(LogGate::Read::brief)) << "nobody waits";
  gate.enter(LogGate::Read::brief);
  gate.enter(LogGate::Read::brief);
  EXPECT_FALSE(gate.close());
  EXPECT_FALSE(gate.leave(LogGate::Read::brief));
  EXPECT_TRUE(gate.leave(LogGate::Read::brief));
  std::atomic<bool> entered = false;
  std::jthread waiting([&] {
    gate.enter(LogGate::Read::brief);
    entered = true;
  });
  gate.open();
  waiting.join();
  EXPECT_TRUE(entered);
}

TEST(LogGate, StaysOpenWhileSomebodyReadsAtLength) {
  LogGate gate;
  gate.enter(LogGate::Read::lengthy);
  EXPECT_FALSE(gate.close());
  gate.enter(LogGate::Read::brief);
  EXPECT_FALSE(gate.leave(LogGate::Read::brief));
  EXPECT_FALSE(gate.leave(LogGate::Read::lengthy));
  EXPECT_TRUE(gate.close());
}

}  // namespace
}  // namespace longshore
