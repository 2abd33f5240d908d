// A node caches the jobs that it leased. Here another node changes them in the meantime.
#include <map>

#include "postgres/fixture.h"

namespace longshore::postgres_test {
namespace {

class PostgresCachedJobs : public PostgresTest {
 protected:
  PostgresCachedJobs() {
    sql("CREATE TABLE @test_clock AS SELECT @store_time() AS at; CREATE OR REPLACE FUNCTION "
        "@store_time() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT at FROM @test_clock'");
  }
  void advance(Duration by) const {
    sql("UPDATE @test_clock SET at = at + " + std::to_string(by.count()));
  }
  static std::vector<Verdict> commit(Backend& node, const std::vector<Command>& commands) {
    auto committed = node.store().commit(commands);
    EXPECT_TRUE(committed.ok());
    return committed ? std::move(committed->verdicts) : std::vector<Verdict>(commands.size());
  }
  Command new_job(int number) {
    NewJob job{.id = fresh_ids_.next(Instant::millis(1'800'000'000'000)), .type = "work"};
    job.body.payload = "{\"number\":" + std::to_string(number) + "}";
    return Enqueue{.ns = "default", .jobs = {job}};
  }
  // New jobs, leased by a node.
  std::vector<Lease> leased_by(Backend& node, int count) {
    std::vector<Command> arrivals;
    for (int i = 0; i < count; ++i) arrivals.push_back(new_job(i));
    commit(node, arrivals);
    std::vector<Lease> leases = lease_at(node, count);
    EXPECT_EQ(std::ssize(leases), count);
    return leases;
  }
  std::vector<Lease> lease_at(Backend& node, int limit) {
    const Claim wanted{
        .id = random_id<RequestId>(chance_), .ns = "default", .worker = "w", .limit = limit};
    return std::get<Leased>(commit(node, {wanted}).at(0)).leases;
  }
  static Complete complete(const Lease& lease) {
    return {.ns = "default", .job = lease.job, .token = lease.token};
  }
  static bool completes(Backend& node, const Lease& lease) {
    return std::holds_alternative<Settled>(commit(node, {complete(lease)}).at(0));
  }
  Heartbeat beat(const Lease& lease) {
    return {.id = random_id<RequestId>(chance_),
            .ns = "default",
            .job = lease.job,
            .token = lease.token};
  }
  JobRecord record(const Lease& lease) const {
    auto found = here_->catalog().get("default", lease.job);
    EXPECT_TRUE(found.ok());
    return found ? std::move(*found) : JobRecord();
  }
  bool is_sound() const { return here_->catalog().audit()->sound(); }

  SeededRandom chance_{17};
  JobIds fresh_ids_{chance_};
  const std::unique_ptr<Backend> here_ = open();
  const std::unique_ptr<Backend> there_ = open();
};

TEST_F(PostgresCachedJobs, SettleJobsLeasedByEitherNode) {
  std::vector<Lease> leases = leased_by(*here_, 20);
  for (const Lease& lease : leased_by(*there_, 20)) leases.push_back(lease);
  std::vector<Command> ends;
  for (const Lease& lease : leases) ends.emplace_back(complete(lease));
  for (const Verdict& verdict : commit(*here_, ends)) {
    EXPECT_TRUE(std::holds_alternative<Settled>(verdict));
  }
  for (const Lease& lease : leases) EXPECT_EQ(record(lease).history.size(), 4u);
  EXPECT_TRUE(is_sound());
}

TEST_F(PostgresCachedJobs, AreNotUsedForALeaseThatAnotherNodeEnded) {
  const std::vector<Lease> old = leased_by(*here_, 2);
  ASSERT_TRUE(std::holds_alternative<Beaten>(commit(*there_, {[&] {
                                               Heartbeat longer = beat(old[1]);
                                               longer.extend = Duration::minutes(20);
                                               return longer;
                                             }()})
                                                 .at(0)));
  advance(Duration::minutes(10));
  commit(*there_, {Reap{}});
  advance(Duration::minutes(5));
  commit(*there_, {Due{}});
  const Lease fresh = lease_at(*there_, 1).at(0);
  ASSERT_EQ(fresh.job, old[0].job);
  const std::vector<Verdict> verdicts = commit(*here_, {complete(old[0]), complete(old[1])});
  EXPECT_TRUE(std::holds_alternative<Refusal>(verdicts.at(0)));
  EXPECT_TRUE(std::holds_alternative<Settled>(verdicts.at(1))) << "a heartbeat prolonged it there";
  EXPECT_TRUE(completes(*here_, fresh));
  EXPECT_TRUE(is_sound());
}

TEST_F(PostgresCachedJobs, KeepWhatAnotherNodeWrote) {
  const std::vector<Lease> leases = leased_by(*here_, 4);
  Heartbeat told = beat(leases[0]);
  told.progress = 0.5;
  told.log = "half of it\n";
  Heartbeat silent = beat(leases[1]);
  commit(*there_, {told, silent});
  commit(*there_, {Cancel{.ns = "default", .job = leases[2].job, .actor = {}}});
  std::vector<Command> ends;
  for (const Lease& lease : leases) ends.emplace_back(complete(lease));
  for (const Verdict& verdict : commit(*here_, ends)) {
    EXPECT_TRUE(std::holds_alternative<Settled>(verdict));
  }
  const std::vector<std::int64_t> versions = {5, 4, 5, 4};
  for (std::size_t i = 0; i < leases.size(); ++i) {
    SCOPED_TRACE(i);
    const JobRecord ended = record(leases[i]);
    EXPECT_EQ(ended.job.state, State::success);
    EXPECT_EQ(ended.job.version, versions[i]);
    EXPECT_EQ(ended.history.size(), 4u);
  }
  EXPECT_EQ(record(leases[0]).job.progress, 0.5);
  EXPECT_TRUE(is_sound());
}

// A repeated command is answered as before, by any node.
TEST_F(PostgresCachedJobs, AnswerARepeatedSettlementAsBefore) {
  const std::vector<Lease> leases = leased_by(*here_, 2);
  const std::vector<Verdict> twice = commit(*here_, {complete(leases[0]), complete(leases[0])});
  EXPECT_TRUE(std::holds_alternative<Settled>(twice.at(0)));
  EXPECT_TRUE(std::holds_alternative<Settled>(twice.at(1)));
  EXPECT_TRUE(completes(*there_, leases[0]));
  EXPECT_TRUE(completes(*there_, leases[1]));
  Complete other = complete(leases[1]);
  other.result = "\"another\"";
  EXPECT_TRUE(std::holds_alternative<Refusal>(commit(*here_, {other}).at(0)));
  EXPECT_TRUE(completes(*here_, leases[1]));
  EXPECT_EQ(record(leases[1]).history.size(), 4u);
  EXPECT_TRUE(is_sound());
}

// As in a database that was restored, and in which another claim has since taken the job.
TEST_F(PostgresCachedJobs, AreNotUsedForAnotherClaimOfTheSameVersion) {
  const std::vector<Lease> leases = leased_by(*here_, 2);
  sql("UPDATE @live SET claim = gen_random_uuid()");
  for (const Verdict& verdict : commit(*here_, {complete(leases[0]), complete(leases[1])})) {
    ASSERT_TRUE(std::holds_alternative<Refusal>(verdict));
    EXPECT_EQ(std::get<Refusal>(verdict).code, Code::lease_lost);
  }
  EXPECT_EQ(sql("SELECT count(*) FROM @done"), "0");
}

TEST_F(PostgresCachedJobs, FindAJobWhoseRowWasMoved) {
  const std::vector<Lease> leases = leased_by(*here_, 3);
  sql("UPDATE @live SET ord = ord");
  const std::vector<Verdict> verdicts =
      commit(*here_, {new_job(7), complete(leases[0]), complete(leases[1])});
  for (const Verdict& verdict : verdicts) {
    EXPECT_FALSE(std::holds_alternative<Refusal>(verdict));
  }
  sql("VACUUM FULL @live");
  EXPECT_TRUE(completes(*here_, leases[2]));
  EXPECT_TRUE(is_sound());
}

// Each job ends once, on any node, and a token that was given up is refused by both.
TEST_F(PostgresCachedJobs, SupportTwoNodesThatAlternateAtRandom) {
  std::map<JobId, Lease> running;
  std::vector<Lease> given_up;
  int brought = 0, ended = 0;
  const auto any_node = [&]() -> Backend& { return chance_.chance(0.5) ? *here_ : *there_; };
  for (int step = 0; step < 600; ++step) {
    Backend& node = any_node();
    const auto choice = chance_.below(6);
    if (choice == 0) {
      for (int i = 0; i < 4; ++i) commit(node, {new_job(++brought)});
    } else if (choice == 1) {
      for (Lease& lease : lease_at(node, chance_.chance(0.2) ? 50 : 3)) {
        ASSERT_TRUE(running.emplace(lease.job, lease).second) << "step " << step;
      }
    } else if (choice == 2 && !running.empty()) {
      const Lease lease = running.extract(running.begin()).mapped();
      const Release release{.ns = "default", .job = lease.job, .token = lease.token};
      ASSERT_TRUE(std::holds_alternative<Settled>(commit(node, {release}).at(0))) << step;
      given_up.push_back(lease);
    } else if (choice == 3 && !given_up.empty()) {
      ASSERT_FALSE(completes(node, given_up[chance_.below(given_up.size())])) << "step " << step;
    } else if (choice == 4 && !running.empty()) {
      Heartbeat told = beat(running.begin()->second);
      if (chance_.chance(0.5)) told.progress = 0.1;
      ASSERT_TRUE(std::holds_alternative<Beaten>(commit(node, {told}).at(0))) << "step " << step;
    } else {
      std::vector<Command> ends;
      while (ends.size() < 3 && !running.empty()) {
        ends.emplace_back(complete(running.extract(running.begin()).mapped()));
      }
      if (!given_up.empty() && chance_.chance(0.2)) ends.emplace_back(complete(given_up.back()));
      for (const Verdict& verdict : commit(node, ends)) {
        ended += std::holds_alternative<Settled>(verdict) ? 1 : 0;
      }
    }
  }
  for (const auto& [job, lease] : running) ended += completes(any_node(), lease) ? 1 : 0;
  for (const Lease& lease : lease_at(any_node(), 1000)) ended += completes(*here_, lease) ? 1 : 0;
  EXPECT_EQ(ended, brought);
  EXPECT_TRUE(is_sound());
}

}  // namespace
}  // namespace longshore::postgres_test
