// Connections that break and are replaced.
#include "deadline.h"
#include "postgres/fixture.h"

namespace longshore::postgres_test {
namespace {

class PostgresConnections : public PostgresTest {};

TEST_F(PostgresConnections, ThatBrokeWhileIdleAreReplaced) {
  const auto store = open();
  ASSERT_TRUE(enqueue(*store).ok());
  ASSERT_TRUE(store->catalog().queues("default").ok());
  cut_connections();
  EXPECT_TRUE(enqueue(*store).ok());
  EXPECT_TRUE(store->catalog().queues("default").ok());
  EXPECT_TRUE(store->catalog().audit()->sound());
}

TEST_F(PostgresConnections, DetectARestoredDatabase) {
  const auto store = open();
  ASSERT_TRUE(enqueue(*store).ok());
  ASSERT_TRUE(enqueue(*store).ok());
  // The state of a server that never received the last commits.
  sql("UPDATE @witness SET commits = 0");
  cut_connections();
  const auto told = enqueue(*store);
  ASSERT_FALSE(told.ok());
  EXPECT_EQ(told.error().code, Errc::unavailable);
  EXPECT_NE(told.error().message.find("went back in time"), std::string::npos);
  EXPECT_EQ(alarm_, told.error().message);
  EXPECT_EQ(store->losses().count, 1);
  EXPECT_EQ(store->losses().latest, alarm_);
  EXPECT_TRUE(enqueue(*store).ok()) << "it continues with the current data";
}

// Restores a copy of the tables from before a change, and then makes another change.
TEST_F(PostgresConnections, ReloadTheConfigurationOfARestoredDatabase) {
  const auto store = open();
  const auto other = open();
  const auto say = [](Backend& node, const Command& command) {
    EXPECT_TRUE(node.store().commit({&command, 1}).ok());
  };
  ASSERT_TRUE(enqueue(*store).ok());
  sql("CREATE TABLE @kept_store AS TABLE @store; CREATE TABLE @kept_pause AS TABLE @pause");
  say(*other, PauseQueue{.ns = "default", .queue = "default", .paused = true, .actor = {}});
  EXPECT_TRUE(claim(*store).empty());
  sql("BEGIN; DELETE FROM @store; INSERT INTO @store TABLE @kept_store; "
      "DELETE FROM @pause; INSERT INTO @pause TABLE @kept_pause; COMMIT");
  say(*other, PauseQueue{.ns = "default", .queue = "elsewhere", .paused = true, .actor = {}});
  EXPECT_EQ(claim(*store).size(), 1u) << "its queue is not paused in this database";
}

// The server was reconfigured meanwhile, or is another one.
TEST_F(PostgresConnections, CheckTheDurabilityOfANewServer) {
  sql("CREATE ROLE " + schema_ + " SUPERUSER LOGIN");
  {
    const auto store = open("listen=off&user=" + schema_);
    ASSERT_TRUE(enqueue(*store).ok());
    sql("ALTER ROLE " + schema_ + " SET synchronous_commit = off");
    cut_connections();
    const auto refused = enqueue(*store);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Errc::unavailable);
    EXPECT_NE(refused.error().message.find("synchronous_commit is off"), std::string::npos);
    EXPECT_EQ(store->condition().durability, Durability::b);
    EXPECT_TRUE(store->condition().refuses);
    sql("ALTER ROLE " + schema_ + " RESET synchronous_commit");
    EXPECT_TRUE(eventually([&] { return enqueue(*store).ok(); }, [] {}));
    EXPECT_EQ(store->condition(), (StoreCondition{.durability = Durability::a}));
    EXPECT_TRUE(store->catalog().audit()->sound());
  }
  sql("REASSIGN OWNED BY " + schema_ + " TO postgres; DROP ROLE " + schema_);
}

// Opening the store removes commit counters that were not used for a week.
TEST_F(PostgresConnections, ReportNoDataLossAfterAWeekOfIdleness) {
  constexpr std::int64_t week_and_a_day = 8LL * 86'400'000;
  std::int64_t micros = 0;
  open();
  auto rested = open_postgres({.url = url(), .steady = [&micros] { return micros; }}, Rules());
  ASSERT_TRUE(rested.ok());
  (*rested)->listen_for_losses([this](const auto& how) { alarm_ = how; });
  ASSERT_TRUE(enqueue(**rested).ok());
  sql("CREATE OR REPLACE FUNCTION @store_time() RETURNS bigint LANGUAGE sql VOLATILE AS "
      "'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint + " +
      std::to_string(week_and_a_day) + "'");
  micros += week_and_a_day * 1000;
  ASSERT_TRUE(enqueue(*open()).ok());
  open();
  ASSERT_EQ(sql("SELECT count(*) FROM @witness WHERE at < @store_time() - 86400000"), "0");
  EXPECT_TRUE(enqueue(**rested).ok());
  cut_connections();
  EXPECT_TRUE(enqueue(**rested).ok());
  EXPECT_EQ(alarm_, "");
}

TEST_F(PostgresConnections, WorkWithoutPreparedStatements) {
  const auto store = open("listen=off&prepare=off");
  ASSERT_TRUE(enqueue(*store).ok());
  const auto leases = claim(*store);
  ASSERT_EQ(leases.size(), 1u);
  const Command complete =
      Complete{.ns = "default", .job = leases[0].job, .token = leases[0].token};
  const auto committed = store->store().commit({&complete, 1});
  ASSERT_TRUE(committed.ok());
  EXPECT_EQ(std::get<Settled>(committed->verdicts[0]).status, Status::completed);
  EXPECT_TRUE(store->catalog().audit()->sound());
}

TEST_F(PostgresConnections, SendHintsFromOneNodeToAnother) {
  const auto here = open("listen=on");
  const auto there = open("listen=on");
  // The first hint may come before the other node listens; it receives one of the next.
  bool heard = false;
  for (int i = 0; i < 50 && !heard; ++i) {
    ASSERT_TRUE(enqueue(*here).ok());
    for (const std::string& queue : there->wakeups().wait(Duration::millis(200))) {
      heard = heard || queue == "default/default";
    }
  }
  EXPECT_TRUE(heard);
}

TEST_F(PostgresConnections, HintWhenAJobOfALimitedQueueStopsRunning) {
  const auto store = open();
  const auto complete_one = [&] {
    EXPECT_TRUE(enqueue(*store).ok());
    const Lease held = claim(*store).at(0);
    store->wakeups().wait(Duration());
    const Command complete = Complete{.ns = "default", .job = held.job, .token = held.token};
    EXPECT_TRUE(store->store().commit({&complete, 1}).ok());
    return store->wakeups().wait(Duration());
  };
  EXPECT_TRUE(complete_one().empty()) << "no claim waits for its slot";
  const struct {
    std::string name;
    Configure rules;
  } cases[] = {
      {"the queue", {.queues = {{.ns = "default", .queue = "default", .max_running = 2}}}},
      {"the type", {.types = {{.ns = "default", .type = "work", .max_running = 2}}}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Command rules = c.rules;
    ASSERT_TRUE(store->store().commit({&rules, 1}).ok());
    EXPECT_EQ(complete_one(), std::vector<std::string>{"default/default"});
  }
}

TEST_F(PostgresConnections, WakeWaitingThreadsWhenStopped) {
  const auto store = open("listen=on");
  store->wakeups().stop();
  EXPECT_TRUE(store->wakeups().wait(Duration::hours(1)).empty());
}

}  // namespace
}  // namespace longshore::postgres_test
