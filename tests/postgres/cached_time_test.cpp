// Batches that need no prior query use the time and the rules that the node has cached, and verify
// both when they write. Here the cached values are outdated.
#include "postgres/fixture.h"

namespace longshore::postgres_test {
namespace {

class PostgresCachedTime : public PostgresTest {
 protected:
  Instant enqueued_at(Backend& node) {
    NewJob job{.id = fresh_ids_.next(Instant::millis(1'800'000'000'000)), .type = "work"};
    job.body.payload = "{}";
    commit(node, Enqueue{.ns = "default", .jobs = {job}});
    made_.push_back(job.id);
    return record(node, job.id).job.created_at;
  }
  static void commit(Backend& node, const Command& command) {
    const auto committed = node.store().commit({&command, 1});
    EXPECT_TRUE(committed.ok()) << (committed ? "" : committed.error().message);
  }
  static JobRecord record(Backend& node, const JobId& id) {
    auto found = node.catalog().get("default", id);
    EXPECT_TRUE(found.ok());
    return found ? std::move(*found) : JobRecord();
  }

  SeededRandom chance_{19};
  JobIds fresh_ids_{chance_};
  std::vector<JobId> made_;
};

TEST_F(PostgresCachedTime, IsRefreshedWhenTheClockWasSet) {
  const auto node = open();
  const Instant before = enqueued_at(*node);
  EXPECT_GE(enqueued_at(*node), before);
  sql("CREATE OR REPLACE FUNCTION @store_time() RETURNS bigint LANGUAGE sql VOLATILE AS "
      "'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint + 3600000'");
  EXPECT_GE(enqueued_at(*node), before + Duration::hours(1));
  EXPECT_GE(enqueued_at(*node), before + Duration::hours(1));
  EXPECT_TRUE(node->catalog().audit()->sound());
}

TEST_F(PostgresCachedTime, IsRefreshedWhenAnotherNodeChangedTheRules) {
  const auto node = open(), other = open();
  enqueued_at(*node);
  const std::vector<Lease> leases = claim(*node);
  ASSERT_EQ(leases.size(), 1u);
  const TypeRule rule{.ns = "default", .type = "work", .keep_success = Duration::minutes(5)};
  commit(*other, Configure{.queues = {}, .types = {rule}});
  commit(*node, Complete{.ns = "default", .job = leases[0].job, .token = leases[0].token});
  const Job ended = record(*node, leases[0].job).job;
  EXPECT_EQ(ended.state, State::success);
  EXPECT_EQ(ended.prune_after, ended.updated_at + Duration::minutes(5));
}

TEST_F(PostgresCachedTime, KeepsJobsOfSeveralNodesInTheirOrder) {
  constexpr int jobs = 60;
  const auto node = open(), other = open();
  Instant last = Instant::millis(0);
  for (int i = 0; i < jobs; ++i) {
    const Instant at = enqueued_at(i % 2 == 0 ? *node : *other);
    EXPECT_GE(at, last);
    last = at;
  }
  for (const JobId& id : made_) {
    const std::vector<Lease> leases = claim(*node);
    ASSERT_EQ(leases.size(), 1u);
    EXPECT_EQ(leases[0].job, id);
  }
  EXPECT_TRUE(node->catalog().audit()->sound());
}

// A batch that turns out to need more than is cached starts again with a query.
TEST_F(PostgresCachedTime, IsQueriedWhenABatchTurnsOutToNeedIt) {
  const auto node = open();
  enqueued_at(*node);
  NewJob job{.id = fresh_ids_.next(Instant::millis(1'800'000'000'000)), .type = "work"};
  job.body.payload = "{}";
  job.callback = Callback{.url = "http://localhost/told"};
  commit(*node, Enqueue{.ns = "default", .jobs = {job}});
  claim(*node);
  const std::vector<Lease> leases = claim(*node);
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0].job, job.id);
  commit(*node, Complete{.ns = "default",
                         .job = leases[0].job,
                         .token = leases[0].token,
                         .result = "1",
                         .log = "two\nlines\n"});
  EXPECT_EQ(record(*node, job.id).job.state, State::success);
  EXPECT_TRUE(node->catalog().audit()->sound());
}

}  // namespace
}  // namespace longshore::postgres_test
