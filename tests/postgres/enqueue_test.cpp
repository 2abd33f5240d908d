// Jobs created in the caller's transaction.
#include <thread>

#include "deadline.h"
#include "longshore/postgres.h"
#include "postgres/fixture.h"

namespace longshore::postgres_test {
namespace {

class EnqueueInTransaction : public PostgresTest {
 protected:
  EnqueueInTransaction() : store_(open()), connection_(PQconnectdb(server_url("").c_str())) {}
  ~EnqueueInTransaction() override { PQfinish(connection_); }

  void say(const char* text) { PQclear(PQexec(connection_, text)); }
  Result<JobId> put(const PostgresJob& job) { return enqueue_in(connection_, job, schema_); }
  void expect_sound() {
    const auto audit = store_->catalog().audit();
    ASSERT_TRUE(audit.ok()) << audit.error().message;
    for (const Finding& finding : audit->findings) ADD_FAILURE() << finding.rule << finding.what;
  }

  std::unique_ptr<Backend> store_;
  PGconn* connection_;
};

TEST_F(EnqueueInTransaction, CreatesAJobThatRunsIfTheCallerCommits) {
  say("BEGIN");
  const auto id = put({.type = "mail", .payload = R"({"b": 1, "a":2})", .priority = 3});
  ASSERT_TRUE(id.ok()) << id.error().message;
  EXPECT_TRUE(claim(*store_).empty());
  say("COMMIT");
  const auto leases = claim(*store_);
  ASSERT_EQ(leases.size(), 1u);
  EXPECT_EQ(leases[0].job, *id);
  EXPECT_EQ(leases[0].body.payload, R"({"b": 1, "a":2})");
  EXPECT_EQ(leases[0].type, "mail");
  expect_sound();
}

TEST_F(EnqueueInTransaction, LeavesNothingIfTheCallerRollsBack) {
  say("BEGIN");
  const auto id = put({.type = "mail", .job_key = "k", .idempotency_key = "i"});
  ASSERT_TRUE(id.ok());
  say("ROLLBACK");
  EXPECT_TRUE(claim(*store_).empty());
  EXPECT_FALSE(store_->catalog().get("default", *id).ok());
  EXPECT_NE(*put({.type = "mail", .job_key = "k", .idempotency_key = "i"}), *id);
  expect_sound();
}

TEST_F(EnqueueInTransaction, ReturnsTheJobThatAlreadyHasTheKey) {
  const auto first = put({.type = "mail", .job_key = "k", .idempotency_key = "i"});
  ASSERT_TRUE(first.ok());
  EXPECT_EQ(*put({.type = "bill", .idempotency_key = "i"}), *first);
  EXPECT_EQ(*put({.type = "mail", .job_key = "k", .idempotency_key = "j"}), *first);
  EXPECT_EQ(store_->catalog().find_idempotency_key("default", "j")->job, *first);
  EXPECT_NE(*put({.type = "bill", .job_key = "k"}), *first);
  expect_sound();
}

TEST_F(EnqueueInTransaction, AppliesTheCurrentPolicyToTheJob) {
  const auto before = put({.type = "mail"});
  const Command apply = SetRules{.rules = {{"timeoutSeconds", "60"}}};
  ASSERT_TRUE(store_->store().commit(std::array{apply}).ok());
  const auto after = put({.type = "mail"});
  EXPECT_EQ(store_->catalog().glance("default", *before)->policy.timeout, Duration::seconds(1800));
  EXPECT_EQ(store_->catalog().glance("default", *after)->policy.timeout, Duration::seconds(60));
  expect_sound();
}

TEST_F(EnqueueInTransaction, WritesTheSameRowsAsTheStore) {
  ASSERT_TRUE(enqueue(*store_).ok());
  ASSERT_TRUE(put({.type = "work", .payload = "{}"}).ok());
  std::vector<JobRecord> records;
  ASSERT_TRUE(store_->catalog()
                  .each([&](const JobRecord& record) {
                    records.push_back(record);
                    return true;
                  })
                  .ok());
  ASSERT_EQ(records.size(), 2u);
  // Equal except for their times and order.
  for (JobRecord& record : records) {
    record.job.id = record.job.content = JobId{};
    record.job.number = record.job.order = 0;
    record.job.created_at = record.job.updated_at = record.job.run_at = Instant();
    for (Transition& step : record.history) step.at = Instant();
  }
  EXPECT_TRUE(records[0] == records[1]);
}

TEST_F(EnqueueInTransaction, DelaysAJobAndRefusesAnInvalidOne) {
  const auto later = put({.type = "mail", .delay = Duration::hours(1)});
  ASSERT_TRUE(later.ok());
  EXPECT_EQ(store_->catalog().glance("default", *later)->state, State::scheduled);
  for (const PostgresJob& bad :
       {PostgresJob{.type = "no spaces"}, PostgresJob{.type = "longshore.own"},
        PostgresJob{.type = "mail", .payload = "{"}, PostgresJob{.type = "mail", .priority = 10}}) {
    const auto refused = put(bad);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().code, Errc::invalid);
  }
  expect_sound();
}

// It waits for its other key while the holder of its job key ends.
TEST_F(EnqueueInTransaction, DatesAJobAfterWhoeverHadItsJobKey) {
  const auto holder = put({.type = "mail", .job_key = "k"});
  ASSERT_TRUE(holder.ok());
  say("BEGIN");
  ASSERT_TRUE(put({.type = "mail", .idempotency_key = "i"}).ok());
  Result<JobId> next = Error{.code = Errc::unavailable, .message = "nobody was asked"};
  {
    const std::jthread waits([&] {
      PGconn* own = PQconnectdb(server_url("application_name=" + schema_ + "_waits").c_str());
      next = enqueue_in(own, {.type = "mail", .job_key = "k", .idempotency_key = "i"}, schema_);
      PQfinish(own);
    });
    const std::string waiting = "SELECT count(*) FROM pg_stat_activity WHERE application_name = '" +
                                schema_ + "_waits' AND wait_event_type = 'Lock'";
    EXPECT_TRUE(eventually([&] { return sql(waiting) != "0"; }));
    const Command cancel = Cancel{.ns = "default", .job = *holder};
    EXPECT_TRUE(store_->store().commit({&cancel, 1}).ok());
    say("ROLLBACK");
  }
  ASSERT_TRUE(next.ok()) << next.error().message;
  const Job ended = *store_->catalog().glance("default", *holder);
  const Job began = *store_->catalog().glance("default", *next);
  EXPECT_EQ(ended.state, State::canceled);
  EXPECT_LE(ended.updated_at, began.created_at);
  EXPECT_EQ(began.run_at, began.created_at);
  expect_sound();
}

}  // namespace
}  // namespace longshore::postgres_test
