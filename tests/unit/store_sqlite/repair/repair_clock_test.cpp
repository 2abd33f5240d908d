#include "store/sqlite/repair/repair.h"
#include "unit/store_sqlite/sqlite_test.h"

namespace longshore {
namespace {

class SqliteRepairClock : public SqliteTest {
 protected:
  static constexpr Duration wrong = Duration::days(30);

  std::vector<std::string> repair() {
    close();
    auto done = repair_clock_sqlite(options_.path, clock_, Duration::days(30));
    EXPECT_TRUE(done.ok()) << (done ? "" : done.error().message);
    open();
    return done ? *done : std::vector<std::string>();
  }
  Job job_now(const JobId& id) { return catalog().get("default", id)->job; }
};

TEST_F(SqliteRepairClock, LeavesAStoreAloneThatIsNotAhead) {
  open();
  enqueue();
  clock_.advance(Duration::seconds(5));
  EXPECT_TRUE(repair().empty());
}

TEST_F(SqliteRepairClock, SetsEveryTimeBackThatLiesAhead) {
  open();
  const JobId before = enqueue();
  clock_.step(wrong);
  const JobId delayed = enqueue({.delay = Duration::minutes(10)});
  const std::vector<Lease> leases = claim();
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0].job, before);
  const JobId done = enqueue();
  complete(claim().at(0));
  const JobId failing = enqueue();
  const Lease failed = claim().at(0);
  send(Fail{.ns = "default",
            .job = failing,
            .token = failed.token,
            .error = {.code = "E", .message = "m"}});
  clock_.step(Duration() - wrong);
  EXPECT_EQ(repair().empty(), false);

  const Instant now = clock_.now();
  EXPECT_EQ(*catalog().now(), now);
  EXPECT_EQ(backend_->clock().alarm, "");
  EXPECT_EQ(job_now(delayed).run_at, now + Duration::minutes(10));
  EXPECT_EQ(job_now(before).lease_expires_at, now + Duration::seconds(30));
  EXPECT_LE(*job_now(before).started_at, now);
  EXPECT_EQ(job_now(done).completed_at, now);
  EXPECT_EQ(job_now(done).prune_after, now + Duration::days(7));
  EXPECT_LE(job_now(failing).run_at, now + Duration::seconds(3));
  for (const JobRecord& record : dump()) {
    for (const Transition& move : record.history) EXPECT_LE(move.at, now);
  }
  EXPECT_TRUE(findings().empty());
}

TEST_F(SqliteRepairClock, LetsTheStoreGoOn) {
  open();
  const JobId id = enqueue();
  clock_.step(wrong);
  const std::vector<Lease> leases = claim();
  clock_.step(Duration() - wrong);
  repair();
  clock_.advance(Duration::seconds(31));
  send(Reap{});
  EXPECT_EQ(job_now(id).crashes, 1);
  EXPECT_EQ(job_now(id).state, State::queued);
  EXPECT_TRUE(findings().empty());
}

}  // namespace
}  // namespace longshore
