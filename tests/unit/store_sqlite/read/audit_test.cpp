#include "store/sqlite/read/audit.h"

#include <algorithm>

#include "unit/store_sqlite/sqlite_test.h"

namespace longshore {
namespace {

class SqliteAudit : public SqliteTest {
 protected:
  // One job in each kind of place.
  void fill() {
    enqueue({.job_key = "live", .idempotency_key = "once"});
    claim();
    enqueue();
    complete(claim().at(0));
    enqueue({.run_at = clock_.now() + Duration::hours(1)});
    enqueue({.expires_at = clock_.now() + Duration::hours(2)});
    const JobId canceled = enqueue();
    send(Cancel{.ns = "default", .job = canceled});
  }
};

TEST_F(SqliteAudit, FindsNothingInANewStore) {
  open();
  EXPECT_EQ(catalog().audit()->jobs_checked, 0);
  EXPECT_TRUE(catalog().audit()->sound());
}

TEST_F(SqliteAudit, FindsNothingWrongWithWhatTheStoreWrote) {
  open();
  fill();
  EXPECT_EQ(catalog().audit()->jobs_checked, 5);
  EXPECT_EQ(findings(), std::vector<std::string>{});
}

TEST_F(SqliteAudit, NamesEachKindOfDamage) {
  struct Case {
    std::string rule;
    std::string sql;
  };
  const Case cases[] = {
      {"count-wrong", "UPDATE lane SET queued = queued + 1"},
      {"body-missing", "DELETE FROM body"},
      {"body-stray", "INSERT INTO body(id, payload) VALUES (x'00', '1')"},
      {"checkpoint-stray", "INSERT INTO checkpoint VALUES (x'00', '1')"},
      {"checkpoint-missing", "UPDATE live SET flags = flags | 4"},
      {"failure-stray", "INSERT INTO failure VALUES (x'00', 1, 1, 1, 'c', 'm', 'd', NULL)"},
      {"log-stray", "INSERT INTO log VALUES (x'00', 1, 'text', NULL)"},
      {"number-twice", "UPDATE done SET number = 1"},
      {"number-ahead", "UPDATE store SET number = 1"},
      {"order-twice", "UPDATE live SET state = 2, ord = 5"},
      {"ended-among-live", "UPDATE live SET state = 6 WHERE state = 2"},
      {"living-among-done", "UPDATE done SET state = 2 WHERE state = 6"},
      {"key-without-type", "UPDATE live SET kind = 99 WHERE job_key IS NOT NULL"},
      {"idempotency-key-unbound", "DELETE FROM key_log"},
      {"idempotency-key-astray", "INSERT INTO key_log VALUES (99, 1, 'stray', x'00', 0)"},
      {"idempotency-key-unlisted", "UPDATE live SET idempotency_key = NULL"},
      {"bound-key-stray", "INSERT INTO bound_key VALUES (x'00', 1, 'stray')"},
      {"gone-without-key", "INSERT INTO gone VALUES (x'00', 1, 1)"},
      {"gone-but-here", "INSERT INTO gone SELECT id, 1, 1 FROM live LIMIT 1"},
      {"job-twice", "INSERT INTO done SELECT live.*, NULL FROM live WHERE state = 3"},
      {"lease-unlike-state", "UPDATE live SET lease_expires_at = NULL WHERE state = 3"},
      {"history-missing", "UPDATE live SET history = ''"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.rule);
    close();
    for (const char* file : {"", "-wal", "-shm", ".lock"}) ::unlink((options_.path + file).c_str());
    open();
    fill();
    close();
    damage(c.sql);
    open();
    const auto found = findings();
    EXPECT_NE(std::ranges::find(found, c.rule), found.end());
  }
}

}  // namespace
}  // namespace longshore
