#include "store/sqlite/write/writer.h"

#include <sqlite3.h>

#include <atomic>
#include <latch>
#include <set>
#include <thread>

#include "unit/store_sqlite/sqlite_test.h"

namespace longshore {
namespace {

// Once closed, lets nobody see the time before so many threads are about to commit: the first to
// commit then leads alone, and the others gather behind it.
class CrowdClock final : public Clock {
 public:
  explicit CrowdClock(Clock& time) : time_(time) {}

  Instant now() override {
    for (int missing = missing_; missing > 0; missing = missing_) missing_.wait(missing);
    return time_.now();
  }
  Duration steady() override { return time_.steady(); }
  void wait_for(int crowd) { missing_ = crowd; }
  void arrive() {
    missing_ -= 1;
    missing_.notify_all();
  }

 private:
  Clock& time_;
  std::atomic<int> missing_ = 0;
};

class SqliteWriter : public SqliteTest {
 protected:
  // The same wish on many threads at once; the ids are made before.
  std::vector<NewJob> jobs(int count) {
    std::vector<NewJob> wishes;
    for (int i = 0; i < count; ++i) wishes.push_back(job());
    return wishes;
  }
};

TEST_F(SqliteWriter, StoresEverythingThatManyThreadsSendAtOnce) {
  constexpr int threads = 64;
  constexpr int each = 25;
  open();
  const std::vector<NewJob> wishes = jobs(threads * each);
  std::latch start(threads);
  std::atomic<int> stored = 0;
  {
    std::vector<std::jthread> producers;
    for (int i = 0; i < threads; ++i) {
      producers.emplace_back([&, i] {
        start.arrive_and_wait();
        for (int n = 0; n < each; ++n) {
          const Command command =
              Enqueue{.ns = "default", .jobs = {wishes[static_cast<std::size_t>(i * each + n)]}};
          const auto committed = backend_->store().commit({&command, 1});
          if (committed && std::holds_alternative<Enqueued>(committed->verdicts.at(0))) ++stored;
        }
      });
    }
  }
  EXPECT_EQ(stored, threads * each);
  const sqlite::WriterCounts counts = backend_->counts();
  EXPECT_EQ(counts.commits, threads * each);
  EXPECT_LT(counts.transactions, counts.commits);
  EXPECT_EQ(dump().size(), wishes.size());
  EXPECT_EQ(findings(), std::vector<std::string>{});
}

TEST_F(SqliteWriter, SharesATransactionBetweenThoseWhoGatheredMeanwhile) {
  constexpr int threads = 64;
  const std::vector<NewJob> wishes = jobs(threads);
  CrowdClock crowd(clock_);
  auto opened = open_sqlite(options_, crowd, Rules());
  ASSERT_TRUE(opened.ok());
  crowd.wait_for(threads);
  {
    std::vector<std::jthread> producers;
    for (const NewJob& wish : wishes) {
      producers.emplace_back([&] {
        const Command command = Enqueue{.ns = "default", .jobs = {wish}};
        crowd.arrive();
        EXPECT_TRUE((*opened)->store().commit({&command, 1}).ok());
      });
    }
  }
  EXPECT_EQ((*opened)->counts().commits, threads);
  EXPECT_LE((*opened)->counts().transactions, threads / 4);
}

TEST_F(SqliteWriter, GivesEachCallerItsOwnAnswers) {
  open();
  constexpr int threads = 16;
  const std::vector<NewJob> wishes = jobs(threads);
  std::latch start(threads);
  std::vector<Result<Committed>> answers(threads, Error{});
  {
    std::vector<std::jthread> producers;
    for (std::size_t i = 0; i < threads; ++i) {
      producers.emplace_back([&, i] {
        const std::vector<Command> commands = {
            Enqueue{.ns = "default", .jobs = {wishes[i]}},
            Cancel{.ns = i % 2 == 0 ? "default" : "elsewhere", .job = wishes[i].id}};
        start.arrive_and_wait();
        answers[i] = backend_->store().commit(commands);
      });
    }
  }
  for (std::size_t i = 0; i < threads; ++i) {
    ASSERT_TRUE(answers[i].ok());
    const Committed& answer = *answers[i];
    ASSERT_EQ(answer.verdicts.size(), 2u);
    EXPECT_EQ(std::get<Enqueued>(answer.verdicts[0]).jobs.at(0).id, wishes[i].id);
    EXPECT_EQ(std::holds_alternative<Settled>(answer.verdicts[1]), i % 2 == 0);
    for (const JobEvent& events : answer.events) EXPECT_EQ(events.job, wishes[i].id);
    EXPECT_EQ(answer.events.size(), i % 2 == 0 ? 3u : 2u);
  }
}

TEST_F(SqliteWriter, HandsEachJobToOneOfManyClaimants) {
  open();
  constexpr int threads = 16;
  commit({Enqueue{.ns = "default", .jobs = jobs(200)}});
  std::vector<RequestId> requests;
  for (int i = 0; i < threads; ++i) requests.push_back(request());
  std::vector<std::vector<JobId>> got(threads);
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < threads; ++i) {
      workers.emplace_back([&, i] {
        const Command command =
            Claim{.id = requests[i], .ns = "default", .worker = "w", .limit = 20};
        const auto committed = backend_->store().commit({&command, 1});
        for (const Lease& lease : std::get<Leased>(committed->verdicts.at(0)).leases) {
          got[i].push_back(lease.job);
        }
      });
    }
  }
  std::set<JobId> all;
  std::size_t count = 0;
  for (const auto& ids : got) {
    count += ids.size();
    all.insert(ids.begin(), ids.end());
  }
  EXPECT_EQ(count, 200u);
  EXPECT_EQ(all.size(), 200u);
}

TEST_F(SqliteWriter, WritesAJobOnceThatIsDoneInTheCommitThatBroughtIt) {
  open();
  const NewJob wish = job();
  const RequestId id = request();
  const Committed committed =
      commit({Enqueue{.ns = "default", .jobs = {wish}},
              Claim{.id = id, .ns = "default", .worker = "alice"},
              Complete{.ns = "default", .job = wish.id, .token = {.epoch = 1, .claim = id}}});
  EXPECT_EQ(std::get<Settled>(committed.verdicts.at(2)).status, Status::completed);
  EXPECT_EQ(committed.events.size(), 4u);
  EXPECT_EQ(findings(), std::vector<std::string>{});
}

TEST_F(SqliteWriter, KeepsABoundedWindowOfALargeBacklogInMemory) {
  options_.writer.memory = {.lane_window = 64, .all_windows = 256, .entry_bytes = 256 * 1024};
  open();
  constexpr int count = 5000;
  std::vector<JobId> order;
  for (int i = 0; i < count; i += 500) {
    const auto wishes = jobs(500);
    for (const NewJob& wish : wishes) order.push_back(wish.id);
    commit({Enqueue{.ns = "default", .jobs = wishes}});
    const auto held = *backend_->in_memory();
    EXPECT_LE(held.places, 64u);
    EXPECT_LE(held.bytes, 320u * 1024);
  }
  std::vector<JobId> claimed;
  while (claimed.size() < order.size()) {
    const auto leases = claim(100);
    ASSERT_FALSE(leases.empty()) << "after " << claimed.size();
    for (const Lease& lease : leases) {
      claimed.push_back(lease.job);
      complete(lease);
    }
    EXPECT_LE(backend_->in_memory()->places, 64u);
  }
  EXPECT_EQ(claimed, order);
  EXPECT_EQ(findings(), std::vector<std::string>{});
}

TEST_F(SqliteWriter, SharesTheWindowsBetweenManyQueues) {
  options_.writer.memory = {.lane_window = 8, .all_windows = 16, .entry_bytes = 64 * 1024};
  open();
  for (int round = 0; round < 10; ++round) {
    for (int queue = 0; queue < 10; ++queue) enqueue({.queue = "q" + std::to_string(queue)});
  }
  EXPECT_LE(backend_->in_memory()->places, 16u);
  for (int queue = 9; queue >= 0; --queue) {
    Claim claim{.id = request(), .ns = "default", .worker = "alice"};
    claim.queues = {"q" + std::to_string(queue)};
    claim.limit = 100;
    EXPECT_EQ(std::get<Leased>(send(claim)).leases.size(), 10u);
    EXPECT_EQ(findings(), std::vector<std::string>{});
  }
}

// SQLite's own limit is a gigabyte; here every connection gets a smaller one.
int limit_length(sqlite3* connection, char**, const sqlite3_api_routines*) {
  sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, 100'000);
  return SQLITE_OK;
}

TEST_F(SqliteWriter, LetsNobodySufferForATextTooLongToStore) {
  const auto extension = reinterpret_cast<void (*)()>(limit_length);
  ASSERT_EQ(sqlite3_auto_extension(extension), SQLITE_OK);
  open();
  ASSERT_EQ(sqlite3_cancel_auto_extension(extension), 1);
  const JobId before = enqueue();
  const Command command =
      Enqueue{.ns = "default", .jobs = {job({.body = {.payload = std::string(200'000, '1')}})}};
  const auto refused = backend_->store().commit({&command, 1});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(to_text(refused.error().code), to_text(Errc::invalid));
  EXPECT_FALSE(backend_->broken().has_value());
  const JobId after = enqueue();
  const auto records = dump();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].job.id, before);
  EXPECT_EQ(records[1].job.id, after);
  EXPECT_EQ(findings(), std::vector<std::string>{});
}

TEST_F(SqliteWriter, CopiesTheLogBackBeforeItGrowsLong) {
  options_.writer.checkpoint_pages = 50;
  open();
  for (int i = 0; i < 60; ++i) commit({Enqueue{.ns = "default", .jobs = jobs(20)}});
  EXPECT_GT(backend_->counts().checkpoints, 5);
  EXPECT_EQ(findings(), std::vector<std::string>{});
}

}  // namespace
}  // namespace longshore
