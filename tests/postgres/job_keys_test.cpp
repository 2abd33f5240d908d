// Jobs that take over a job key. Whoever looks at their dates sees that at most one of them lived
// at any time, also where the key was free only after the transaction had asked what time it is.
#include <functional>
#include <utility>

#include "deadline.h"
#include "postgres/fixture.h"

namespace longshore::postgres_test {
namespace {

class PostgresJobKeys : public PostgresTest {
 protected:
  explicit PostgresJobKeys(const Rules& rules = {}) {
    const auto steady = [this] {
      interrupt();
      return steady_micros();
    };
    auto opened = open_postgres({.url = url(), .steady = steady}, rules);
    EXPECT_TRUE(opened.ok()) << opened.error().message;
    node_ = std::move(*opened);
    other_ = std::move(*open_postgres({.url = url()}, rules));
  }

  Verdict commit(Backend& node, const Command& command) {
    const auto committed = node.store().commit({&command, 1});
    EXPECT_TRUE(committed.ok()) << (committed ? "" : committed.error().message);
    return committed ? committed->verdicts.front() : Verdict();
  }
  JobId new_id() { return fresh_ids_.next(Instant::millis(1'800'000'000'000)); }
  JobId enqueue_with_key(Backend& node) {
    NewJob job{.id = new_id(), .type = "work", .job_key = "k"};
    job.body.payload = "{}";
    job.policy.max_retries = 0;
    commit(node, Enqueue{.ns = "default", .jobs = {job}});
    return job.id;
  }
  JobId dead_with_key() {
    const JobId id = enqueue_with_key(*other_);
    const std::vector<Lease> leases = claim(*other_);
    EXPECT_EQ(leases.size(), 1u);
    for (const Lease& lease : leases) {
      commit(*other_, Fail{.ns = "default",
                           .job = lease.job,
                           .token = lease.token,
                           .error = {.code = "E", .message = "no way"}});
    }
    EXPECT_EQ(record(id).job.state, State::dead);
    return id;
  }
  JobRecord record(const JobId& id) {
    auto found = other_->catalog().get("default", id);
    EXPECT_TRUE(found.ok());
    return found ? std::move(*found) : JobRecord();
  }

  // The next transaction of node_ has asked what it needs, and the time; then this happens.
  void once_the_time_is_known(std::function<void()> happens) { happens_ = std::move(happens); }
  void end_a_moment_later(const JobId& id) {
    const Instant known = store_time();
    EXPECT_TRUE(eventually([&] { return store_time() >= known + Duration::millis(2); }));
    commit(*other_, Cancel{.ns = "default", .job = id, .force = true});
  }
  Instant store_time() const { return Instant::millis(std::stoll(sql("SELECT @store_time()"))); }

  // The holder ended, the other one began no earlier, and somebody interrupted as planned.
  void expect_taken_over(const JobId& holder, Instant began) {
    EXPECT_FALSE(happens_);
    const JobRecord ended = record(holder);
    EXPECT_TRUE(is_terminal(ended.job.state));
    EXPECT_LE(ended.job.updated_at, began);
    EXPECT_TRUE(other_->catalog().audit()->sound());
  }

  std::unique_ptr<Backend> node_;
  std::unique_ptr<Backend> other_;

 private:
  // Asked whenever node_ looks at its steady clock: also between two questions to the database.
  void interrupt() {
    if (!happens_ || sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = '" +
                         schema_ + "' AND state = 'idle in transaction'") == "0") {
      return;
    }
    std::exchange(happens_, nullptr)();
  }

  std::function<void()> happens_;
  SeededRandom chance_{29};
  JobIds fresh_ids_{chance_};
};

class PostgresJobKeysOfReopenedJobs : public PostgresJobKeys {
 protected:
  PostgresJobKeysOfReopenedJobs() : PostgresJobKeys(rules()) {}
  static Rules rules() {
    Rules rules;
    rules.terminal = Rules::Terminal::reopen;
    return rules;
  }
};

TEST_F(PostgresJobKeys, AreTakenAfterTheirHolderEnded) {
  const JobId holder = enqueue_with_key(*other_);
  once_the_time_is_known([&] { end_a_moment_later(holder); });
  const JobId next = enqueue_with_key(*node_);
  expect_taken_over(holder, record(next).job.created_at);
}

TEST_F(PostgresJobKeys, AreTakenBySuccessorsAfterTheirHolderEnded) {
  const JobId dead = dead_with_key();
  const JobId holder = enqueue_with_key(*other_);
  once_the_time_is_known([&] { end_a_moment_later(holder); });
  const JobId next = new_id();
  commit(*node_, Redrive{.ns = "default", .job = dead, .successor = next});
  expect_taken_over(holder, record(next).job.created_at);
}

TEST_F(PostgresJobKeysOfReopenedJobs, AreTakenAfterTheirHolderEnded) {
  const JobId dead = dead_with_key();
  const JobId holder = enqueue_with_key(*other_);
  once_the_time_is_known([&] { end_a_moment_later(holder); });
  commit(*node_, Redrive{.ns = "default", .job = dead, .successor = new_id()});
  const JobRecord reopened = record(dead);
  EXPECT_FALSE(is_terminal(reopened.job.state));
  expect_taken_over(holder, reopened.job.updated_at);
}

}  // namespace
}  // namespace longshore::postgres_test
