// The requirements on a server and a schema when a store is opened.
#include <thread>
#include <vector>

#include "core/policy/profiles.h"
#include "postgres/fixture.h"

namespace longshore::postgres_test {
namespace {

class OpenPostgres : public PostgresTest {};

TEST_F(OpenPostgres, CreatesItsTablesAndReusesThem) {
  ASSERT_TRUE(enqueue(*open()).ok());
  const auto again = open();
  EXPECT_EQ(claim(*again).size(), 1u);
  EXPECT_TRUE(again->catalog().audit()->sound());
  EXPECT_EQ(again->store().capabilities().durability, Durability::a);
}

TEST_F(OpenPostgres, IsSafeFromManyProcessesAtOnce) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([this] { EXPECT_TRUE(try_open().ok()); });
  threads.clear();
  EXPECT_EQ(sql("SELECT count(*) FROM @store"), "1");
}

TEST_F(OpenPostgres, RefusesTheSchemaOfANewerLongshore) {
  open();
  sql("INSERT INTO @migration VALUES (999)");
  const auto opened = try_open();
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, Errc::refused);
  EXPECT_NE(opened.error().message.find("use a newer Longshore"), std::string::npos);
}

TEST_F(OpenPostgres, RefusesAnotherProfileThanTheStoreWasCreatedWith) {
  open();
  Rules other;
  other.terminal = Rules::Terminal::reopen;
  const auto opened = open_postgres({.url = url()}, other);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, Errc::refused);
}

TEST_F(OpenPostgres, RefusesAServerWithWeakDurabilityUnlessAccepted) {
  const std::string careless = "listen=off&options=-csynchronous_commit%3Doff";
  const auto refused = try_open(careless);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Errc::refused);
  EXPECT_NE(refused.error().message.find("synchronous_commit"), std::string::npos);
  const auto accepted = open(careless + "&durability=B");
  EXPECT_EQ(accepted->store().capabilities().durability, Durability::b);
}

TEST_F(OpenPostgres, RefusesAReadOnlyServer) {
  const auto opened =
      try_open("listen=off&target_session_attrs=any&options=-cdefault_transaction_read_only%3Don");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, Errc::refused);
}

TEST_F(OpenPostgres, ReportsAnUnreachableServerWithoutThePassword) {
  for (const std::string away :
       {"postgres://ann:s3cret@127.0.0.1:1/jobs", "postgres://ann:s3cret@nowhere.invalid/jobs"}) {
    const auto opened = open_postgres({.url = away}, Rules());
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().code, Errc::unavailable);
    EXPECT_EQ(opened.error().message.find("s3cret"), std::string::npos) << opened.error().message;
  }
}

// An older schema version counted them as dead letters.
TEST_F(OpenPostgres, CountsWithdrawnJobsOfAnOlderSchemaAsCanceled) {
  auto backend = open_postgres({.url = url()}, *profile("scheduler")).value();
  ASSERT_TRUE(enqueue(*backend).ok());
  const Command cancel =
      Cancel{.ns = "default", .job = parse_job_id(sql("SELECT id FROM @jobs")).value()};
  ASSERT_TRUE(backend->store().commit({&cancel, 1}).ok());
  backend.reset();
  sql("UPDATE @tally SET dead = dead + canceled, canceled = 0; "
      "ALTER TABLE @store DROP COLUMN stepped_at; DELETE FROM @migration WHERE version >= 7");
  backend = open_postgres({.url = url()}, *profile("scheduler")).value();
  EXPECT_TRUE(backend->catalog().audit()->sound());
  auto depth = backend->catalog().queues("default").value().at(0).depth;
  EXPECT_EQ(depth[State::dead], 0);
  EXPECT_EQ(depth[State::canceled], 1);
}

TEST_F(OpenPostgres, PlansTheMigrationItWouldRun) {
  const auto plan = plan_postgres(url());
  ASSERT_TRUE(plan.ok());
  EXPECT_NE(plan->find("CREATE TABLE " + schema_ + ".live("), std::string::npos);
  run_sql(*plan);
  EXPECT_TRUE(enqueue(*open()).ok());
  EXPECT_EQ(*plan_postgres(url()), "");
}

}  // namespace
}  // namespace longshore::postgres_test
