// The cost of a claim does not grow with a backlog that it cannot take.
#include <string>
#include <vector>

#include "postgres/fixture.h"

namespace longshore::postgres_test {
namespace {

class PostgresBacklog : public PostgresTest {
 protected:
  static constexpr int many = 400;

  void fill(Backend& node, const std::string& type, int count) {
    Enqueue enqueue{.ns = "default", .jobs = {}};
    for (int i = 0; i < count; ++i) {
      NewJob job{.id = ids_.next(Instant::millis(1'800'000'000'000)), .type = type};
      job.body.payload = "{}";
      enqueue.jobs.push_back(job);
    }
    commit(node, {enqueue});
  }
  static Committed commit(Backend& node, const std::vector<Command>& commands) {
    auto committed = node.store().commit(commands);
    EXPECT_TRUE(committed.ok()) << (committed ? "" : committed.error().message);
    return committed ? std::move(*committed) : Committed();
  }
  std::vector<Lease> give(Backend& node, std::vector<std::string> types, int limit = 1) {
    Claim claim{
        .id = random_id<RequestId>(random_), .ns = "default", .worker = "w", .limit = limit};
    if (!types.empty()) claim.types = std::move(types);
    return std::get<Leased>(commit(node, {claim}).verdicts.at(0)).leases;
  }
  // How many index entries all connections so far have read. A connection reports it when it ends.
  std::int64_t read_of(const std::string& index) {
    cut_connections();
    return std::stoll(sql("SELECT pg_stat_get_tuples_returned('@" + index + "'::regclass)"));
  }
  std::string locked() const { return sql("SELECT count(*) FROM @ready WHERE xmax <> '0'"); }

  SeededRandom random_{31};
  JobIds ids_{random_};
};

TEST_F(PostgresBacklog, OfATypeAtItsLimitIsNeitherReadNorLocked) {
  const auto node = open();
  fill(*node, "full", many);
  commit(*node,
         {Configure{.queues = {}, .types = {{.ns = "default", .type = "full", .max_running = 1}}}});
  ASSERT_EQ(give(*node, {}).size(), 1u);
  const auto before = read_of("ready_pkey") + read_of("ready_lane");
  for (int i = 0; i < 10; ++i) {
    EXPECT_TRUE(give(*node, {}).empty());
    EXPECT_TRUE(give(*node, {"full"}).empty());
    EXPECT_TRUE(give(*node, {"full", "other"}).empty());
  }
  EXPECT_EQ(locked(), "0");
  EXPECT_LT(read_of("ready_pkey") + read_of("ready_lane") - before, many);
  fill(*node, "other", 1);
  EXPECT_EQ(give(*node, {}, 10).size(), 1u);
  EXPECT_EQ(locked(), "0");
}

TEST_F(PostgresBacklog, OfAPausedQueueIsNotLocked) {
  const auto node = open();
  fill(*node, "work", many);
  commit(*node, {PauseQueue{.ns = "default", .queue = "default", .paused = true, .actor = {}}});
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(give(*node, {}, 100).empty());
  EXPECT_EQ(locked(), "0");
}

TEST_F(PostgresBacklog, OfOtherTypesIsNotRead) {
  const auto node = open();
  fill(*node, "other", many);
  fill(*node, "mine", 20);
  fill(*node, "also", 20);
  const auto before = read_of("ready_pkey") + read_of("ready_lane");
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(give(*node, {"mine"}).size(), 1u);
    EXPECT_EQ(give(*node, {"mine", "also"}).size(), 1u);
  }
  EXPECT_LT(read_of("ready_pkey") + read_of("ready_lane") - before, many);
  EXPECT_TRUE(node->catalog().audit()->sound());
}

TEST_F(PostgresBacklog, OfNewJobsIsNotReadByAClaimForOldOnes) {
  const auto node = open();
  fill(*node, "work", many);
  const auto before = read_of("ready_pkey") + read_of("ready_lane");
  for (int i = 0; i < 5; ++i) {
    Claim claim{.id = random_id<RequestId>(random_),
                .ns = "default",
                .worker = "w",
                .queued_for = Duration::hours(1)};
    EXPECT_TRUE(std::get<Leased>(commit(*node, {claim}).verdicts.at(0)).leases.empty());
  }
  EXPECT_LT(read_of("ready_pkey") + read_of("ready_lane") - before, many);
  EXPECT_EQ(give(*node, {}, 10).size(), 10u);
}

// Two concurrent claims take different jobs, though both read the first ones of each type.
TEST_F(PostgresBacklog, IsSkippedWhereOtherTransactionsLockIt) {
  const auto node = open();
  fill(*node, "mine", 100);
  fill(*node, "also", 100);
  sql("BEGIN; SELECT job FROM @ready ORDER BY priority, ord LIMIT 90 FOR UPDATE");
  const auto leases = give(*node, {"mine", "also"}, 20);
  const auto further = give(*node, {"mine", "also"}, 1);
  sql("COMMIT");
  ASSERT_EQ(leases.size(), 20u);
  EXPECT_EQ(leases[9].type, "mine");
  EXPECT_EQ(leases[10].type, "also");
  EXPECT_EQ(further.size(), 1u);
  EXPECT_TRUE(node->catalog().audit()->sound());
}

// A database of the first version, with jobs in it.
TEST_F(PostgresBacklog, IsClaimedAfterAMigration) {
  fill(*open(), "mine", 3);
  sql("DROP INDEX @ready_lane; DROP VIEW @jobs; DROP FUNCTION @course_number, @course_part, "
      "@read_double, @read_time, @read_text, @read_json, @read_names, @usual_policy; "
      "ALTER TABLE @failure DROP COLUMN fingerprint; DROP INDEX @audit_at; "
      "ALTER TABLE @store DROP COLUMN stepped_at; "
      "DELETE FROM @migration WHERE version >= 4");
  const auto node = open();
  EXPECT_EQ(give(*node, {"mine"}, 10).size(), 3u);
  EXPECT_EQ(
      sql("SELECT count(*) FROM pg_indexes WHERE indexname = 'ready_lane' AND schemaname = '" +
          schema_ + "'"),
      "1");
}

}  // namespace
}  // namespace longshore::postgres_test
