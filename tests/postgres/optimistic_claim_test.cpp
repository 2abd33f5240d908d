// Claims that start plain jobs in the statement that finds them, and claims that must read the jobs
// first. The results must be equal; a trigger records which statement was used. Both clocks are
// frozen, so that the node's estimate of the database's time is always right.
#include <functional>
#include <future>
#include <utility>

#include "postgres/fixture.h"

namespace longshore::postgres_test {
namespace {

class PostgresOptimisticClaims : public PostgresTest {
 protected:
  static constexpr const char* ns = "default";

  PostgresOptimisticClaims() {
    open();
    sql("CREATE OR REPLACE FUNCTION @store_time() RETURNS bigint LANGUAGE sql VOLATILE AS "
        "'SELECT 1800000000000'; CREATE OR REPLACE FUNCTION @store_micros() RETURNS bigint "
        "LANGUAGE sql VOLATILE AS 'SELECT 1800000000000000'");
    sql("CREATE TABLE @started(by text); CREATE FUNCTION @note() RETURNS trigger LANGUAGE plpgsql "
        "AS $$ BEGIN INSERT INTO @started VALUES (current_query()); RETURN NULL; END $$; "
        "CREATE TRIGGER note AFTER INSERT ON @held FOR EACH ROW EXECUTE FUNCTION @note()");
  }

  // A node that knows the time.
  std::unique_ptr<Backend> open_node() {
    auto opened = open_postgres({.url = url(), .steady = [] { return 0; }}, Rules());
    EXPECT_TRUE(opened.ok());
    commit(**opened, {SeeNode{.node = NodeId{1, 1}, .name = "n"}});
    return std::move(*opened);
  }
  // How many jobs were started by the statement that found them, and how many otherwise.
  int outright() const {
    return std::stoi(sql("SELECT count(*) FROM @started WHERE by LIKE '%SKIP LOCKED%'"));
  }
  int looked_at() const { return std::stoi(sql("SELECT count(*) FROM @started")) - outright(); }

  NewJob new_job(int priority = 5) {
    NewJob fresh{.id = ids_.next(Instant::millis(1'800'000'000'000)), .type = "work"};
    fresh.priority = priority;
    fresh.body.payload = "{\"priority\":" + std::to_string(priority) + "}";
    return fresh;
  }
  static Command enqueue(const NewJob& job) { return Enqueue{.ns = ns, .jobs = {job}}; }
  Claim new_claim(int limit = 1, const std::string& worker = "w") {
    return {.id = random_id<RequestId>(random_), .ns = ns, .worker = worker, .limit = limit};
  }
  static Committed commit(Backend& node, const std::vector<Command>& commands) {
    auto committed = node.store().commit(commands);
    EXPECT_TRUE(committed.ok()) << (committed ? "" : committed.error().message);
    return committed ? std::move(*committed) : Committed();
  }
  static std::vector<Lease> leases_of(const Verdict& verdict) {
    return std::get<Leased>(verdict).leases;
  }
  static std::vector<Lease> give(Backend& node, const Claim& claim) {
    return leases_of(commit(node, {claim}).verdicts.at(0));
  }
  static std::vector<JobId> jobs_of(const std::vector<Lease>& leases) {
    std::vector<JobId> ids;
    for (const Lease& lease : leases) ids.push_back(lease.job);
    return ids;
  }
  static Complete complete(const Lease& lease) {
    return {.ns = ns, .job = lease.job, .token = lease.token, .result = "1"};
  }
  static JobRecord record(Backend& node, const JobId& id) {
    auto found = node.catalog().get(ns, id);
    EXPECT_TRUE(found.ok());
    return found ? std::move(*found) : JobRecord();
  }
  void expect_sound(Backend& node) const {
    const auto audit = node.catalog().audit();
    ASSERT_TRUE(audit.ok());
    EXPECT_TRUE(audit->sound()) << audit->findings.at(0).what;
  }

  SeededRandom random_{23};
  JobIds ids_{random_};
};

TEST_F(PostgresOptimisticClaims, LeaseDifferentJobsInOrder) {
  const auto node = open_node();
  const NewJob late = new_job(7), first = new_job(1), second = new_job(3), third = new_job(3);
  commit(*node, {enqueue(late), enqueue(first), enqueue(second), enqueue(third)});
  const Claim alice = new_claim(1, "alice"), bob = new_claim(2, "bob"),
              carol = new_claim(1, "carol"), dave = new_claim(1, "dave");
  const Committed given = commit(*node, {alice, bob, carol, dave});
  EXPECT_EQ(outright(), 4);
  EXPECT_EQ(looked_at(), 0);
  EXPECT_EQ(jobs_of(leases_of(given.verdicts[0])), std::vector{first.id});
  EXPECT_EQ(jobs_of(leases_of(given.verdicts[1])), (std::vector{second.id, third.id}));
  EXPECT_EQ(jobs_of(leases_of(given.verdicts[2])), std::vector{late.id});
  EXPECT_TRUE(leases_of(given.verdicts[3]).empty());
  EXPECT_EQ(leases_of(given.verdicts[0])[0].body, first.body);
  EXPECT_EQ(leases_of(given.verdicts[1])[1].token.claim, bob.id);
  ASSERT_EQ(given.events.size(), 4u);
  EXPECT_EQ(given.events[2].job, third.id);
  EXPECT_EQ(given.events[2].transition.worker, "bob");
  expect_sound(*node);
  const JobRecord running = record(*node, third.id);
  EXPECT_EQ(running.job.state, State::running);
  EXPECT_EQ(running.job.attempt, 1);
  EXPECT_EQ(running.job.worker, "bob");
  ASSERT_EQ(running.history.size(), 3u);
  EXPECT_EQ(running.history[2], given.events[2].transition);
  std::vector<Command> ends;
  for (const Verdict& verdict : given.verdicts) {
    for (const Lease& lease : leases_of(verdict)) ends.emplace_back(complete(lease));
  }
  commit(*node, ends);
  for (const NewJob& job : {late, first, second, third}) {
    EXPECT_EQ(record(*node, job.id).job.state, State::success);
  }
  expect_sound(*node);
}

TEST_F(PostgresOptimisticClaims, FindJobsEnqueuedInTheSameBatch) {
  const auto node = open_node();
  const NewJob job = new_job();
  const Committed given = commit(*node, {enqueue(job), new_claim()});
  EXPECT_EQ(jobs_of(leases_of(given.verdicts[1])), std::vector{job.id});
  EXPECT_EQ(outright(), 1);
  const Committed early = commit(*node, {new_claim(), enqueue(new_job())});
  EXPECT_TRUE(leases_of(early.verdicts[0]).empty()) << "the claim came before the job";
  const Lease lease = leases_of(given.verdicts[1])[0];
  const NewJob next = new_job(0);
  const Committed mixed = commit(*node, {complete(lease), enqueue(next), new_claim()});
  EXPECT_EQ(jobs_of(leases_of(mixed.verdicts[2])), std::vector{next.id});
  EXPECT_EQ(outright(), 2);
  EXPECT_EQ(record(*node, job.id).job.state, State::success);
  expect_sound(*node);
}

TEST_F(PostgresOptimisticClaims, AreAnsweredAsBeforeWhenRepeated) {
  const auto node = open_node();
  commit(*node, {enqueue(new_job()), enqueue(new_job()), enqueue(new_job())});
  const Claim one = new_claim();
  const auto first = jobs_of(give(*node, one));
  EXPECT_EQ(first.size(), 1u);
  EXPECT_EQ(jobs_of(give(*open_node(), one)), first) << "while other jobs wait";
  const Claim several = new_claim(5);
  const std::vector<Lease> rest = give(*node, several);
  ASSERT_EQ(rest.size(), 2u);
  EXPECT_EQ(jobs_of(give(*open_node(), one)), first) << "without other jobs";
  commit(*node, {complete(rest[0]), enqueue(new_job())});
  EXPECT_EQ(jobs_of(give(*open_node(), several)), std::vector{rest[1].job})
      << "whose first has ended";
  expect_sound(*node);
}

// It got another job after it handed the first one off, and then the first one ended.
TEST_F(PostgresOptimisticClaims, AreAnsweredAsBeforeWhenTheirFirstJobHasEnded) {
  const auto node = open_node();
  commit(*node, {enqueue(new_job()), enqueue(new_job()), enqueue(new_job())});
  const Claim claim = new_claim();
  const Lease first = give(*node, claim).at(0);
  commit(*node, {HandOff{.ns = ns, .job = first.job, .token = first.token, .timeout = {}}});
  const Lease second = give(*node, claim).at(0);
  EXPECT_NE(second.job, first.job);
  commit(*node, {complete(first)});
  EXPECT_EQ(jobs_of(give(*open_node(), claim)), std::vector{second.job});
  expect_sound(*node);
}

// A client may time out and repeat its request; both requests may be in the same batch. The second
// answer is stored, which the statement that starts jobs cannot do, so the jobs are read first.
TEST_F(PostgresOptimisticClaims, AnswerAClaimThatIsTwiceInABatch) {
  const auto node = open_node();
  const NewJob first = new_job(), second = new_job();
  commit(*node, {enqueue(first), enqueue(second)});
  const Claim several = new_claim(2), other = new_claim();
  const Committed given = commit(*node, {several, other, several});
  EXPECT_EQ(looked_at(), 2);
  EXPECT_EQ(leases_of(given.verdicts[0]).size(), 2u);
  EXPECT_TRUE(leases_of(given.verdicts[1]).empty());
  const std::vector<Lease> again = leases_of(given.verdicts[2]);
  ASSERT_EQ(jobs_of(again), (std::vector{first.id, second.id}));
  EXPECT_EQ(again[0].body, first.body);
  EXPECT_EQ(again[1].body, second.body);
  EXPECT_EQ(given.events.size(), 2u);
  expect_sound(*node);
}

TEST_F(PostgresOptimisticClaims, ReadJobsThatAreNotPlainFirst) {
  struct Case {
    const char* name;
    std::function<void(NewJob&)> change;
  };
  const Case cases[] = {
      {"expires", [](NewJob& job) { job.expires_at = Instant::millis(1'800'000'900'000); }},
      {"has its own policy", [](NewJob& job) { job.policy.timeout = Duration::seconds(7); }},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.name);
    const auto node = open_node();
    NewJob special = new_job();
    each.change(special);
    const NewJob plain = new_job();
    commit(*node, {enqueue(special), enqueue(plain)});
    const int before = outright();
    const std::vector<Lease> leases = give(*node, new_claim(2));
    EXPECT_EQ(jobs_of(leases), (std::vector{special.id, plain.id}));
    EXPECT_EQ(outright(), before);
    EXPECT_EQ(leases.at(0).deadline_at - record(*node, special.id).job.updated_at,
              special.policy.timeout);
    expect_sound(*node);
  }
}

// Jobs with a callback are inserted by the same statement as others.
TEST_F(PostgresOptimisticClaims, EnqueueJobsWithCallbacksInOneStatement) {
  const auto node = open_node();
  sql("CREATE TABLE @brought(by text); CREATE FUNCTION @brings() RETURNS trigger LANGUAGE plpgsql "
      "AS $$ BEGIN INSERT INTO @brought VALUES (current_query()); RETURN NULL; END $$; "
      "CREATE TRIGGER brings AFTER INSERT ON @live FOR EACH ROW EXECUTE FUNCTION @brings()");
  const NewJob plain = new_job(), last = new_job();
  NewJob called = new_job(), signed_one = new_job();
  called.callback = Callback{.url = "https://example.org/a", .secret_name = ""};
  signed_one.callback = Callback{.url = "https://example.org/b", .secret_name = "s"};
  commit(*node, {enqueue(plain), enqueue(called), enqueue(signed_one), enqueue(last)});
  EXPECT_EQ(sql("SELECT count(*) || ' by ' || count(DISTINCT by) FROM @brought WHERE by LIKE "
                "'WITH moment%witness%'"),
            "4 by 1");
  EXPECT_EQ(sql("SELECT sum(commits) FROM @witness"), "2") << "the node's own, and this one";
  for (const NewJob& job : {plain, called, signed_one, last}) {
    EXPECT_EQ(record(*node, job.id).job.callback, job.callback);
  }
  expect_sound(*node);
}

TEST_F(PostgresOptimisticClaims, ReadJobsThatHaveRunFirst) {
  const auto node = open_node();
  const NewJob job = new_job();
  commit(*node, {enqueue(job)});
  const std::vector<Lease> once = give(*node, new_claim());
  ASSERT_EQ(once.size(), 1u);
  EXPECT_EQ(outright(), 1);
  commit(*node, {Release{.ns = ns, .job = job.id, .token = once[0].token}});
  const std::vector<Lease> again = give(*node, new_claim());
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].job, job.id);
  EXPECT_EQ(again[0].attempt, 2);
  EXPECT_EQ(outright(), 1);
  expect_sound(*node);
}

TEST_F(PostgresOptimisticClaims, SkipALockedJob) {
  const auto node = open_node();
  const NewJob held = new_job(), free = new_job();
  commit(*node, {enqueue(held), enqueue(free)});
  sql("BEGIN; SELECT id FROM @live WHERE id = '" + to_text(held.id) + "' FOR UPDATE");
  const std::vector<Lease> leases = give(*node, new_claim());
  sql("COMMIT");
  EXPECT_EQ(jobs_of(leases), std::vector{free.id});
  EXPECT_EQ(jobs_of(give(*node, new_claim())), std::vector{held.id});
  expect_sound(*node);
}

TEST_F(PostgresOptimisticClaims, RespectTheByteLimit) {
  const auto node = open_node();
  const NewJob first = new_job(), second = new_job();
  commit(*node, {enqueue(first), enqueue(second)});
  Claim claim = new_claim(2);
  claim.bytes_max = std::ssize(first.body.payload) + 1;
  EXPECT_EQ(jobs_of(give(*node, claim)), std::vector{first.id});
  EXPECT_EQ(record(*node, second.id).job.state, State::queued);
  expect_sound(*node);
}

TEST_F(PostgresOptimisticClaims, ApplyTheConfigurationOfAnotherNode) {
  const auto node = open_node(), other = open_node();
  const NewJob first = new_job(), second = new_job();
  commit(*node, {enqueue(first), enqueue(second)});
  commit(*other, {PauseQueue{.ns = ns, .queue = "default", .paused = true, .actor = {}}});
  EXPECT_TRUE(give(*node, new_claim()).empty());
  commit(*other, {PauseQueue{.ns = ns, .queue = "default", .paused = false, .actor = {}}});
  commit(*other,
         {Configure{.queues = {{.ns = ns, .queue = "default", .max_running = 1}}, .types = {}}});
  EXPECT_EQ(jobs_of(give(*node, new_claim(2))), std::vector{first.id});
  EXPECT_EQ(outright(), 0);
  expect_sound(*node);
}

// Each of two batches ends a job of the queue that the other claims from, and both update the same
// counter. They meet when they claim.
TEST_F(PostgresOptimisticClaims, DoNotDeadlockOnCounters) {
  const auto one = open_node(), other = open_node();
  const auto claim_of = [this](const char* queue) {
    Claim claim = new_claim();
    claim.queues = {queue};
    return claim;
  };
  for (const char* queue : {"a", "a", "b", "b", "c"}) {
    NewJob job = new_job();
    job.queue = queue;
    commit(*one, {enqueue(job)});
  }
  const Lease of_a = give(*other, claim_of("a")).at(0);
  const Lease of_b = give(*one, claim_of("b")).at(0), of_c = give(*one, claim_of("c")).at(0);
  sql("CREATE SEQUENCE @counts; CREATE FUNCTION @meet() RETURNS trigger LANGUAGE plpgsql AS $$ "
      "BEGIN NEW.slot := 0; PERFORM nextval('@counts'); IF NEW.running > 0 THEN "
      "PERFORM pg_advisory_xact_lock_shared(77); END IF; RETURN NEW; END $$; "
      "CREATE TRIGGER meet BEFORE INSERT ON @tally FOR EACH ROW EXECUTE FUNCTION @meet()");
  sql("SELECT pg_advisory_lock(77)");
  const auto send = [](Backend& node, std::vector<Command> commands) {
    return std::async(std::launch::async,
                      [&node, sent = std::move(commands)] { return commit(node, sent); });
  };
  auto first = send(*one, {complete(of_b), complete(of_c), claim_of("a")});
  auto second = send(*other, {complete(of_a), claim_of("b")});
  sql("DO $$ BEGIN FOR i IN 1..6000 LOOP EXIT WHEN 2 = (SELECT count(*) FROM pg_locks WHERE "
      "locktype = 'advisory' AND objid = 77 AND NOT granted); PERFORM pg_sleep(0.01); END LOOP; "
      "END $$");
  sql("SELECT pg_advisory_unlock(77)");
  EXPECT_EQ(leases_of(first.get().verdicts.at(2)).size(), 1u);
  EXPECT_EQ(leases_of(second.get().verdicts.at(1)).size(), 1u);
  EXPECT_EQ(sql("SELECT last_value FROM @counts"), "5") << "one of them had to start over";
  EXPECT_EQ(looked_at(), 0);
  expect_sound(*one);
}

// The local commit count equals the counter in the database, however the batches ended.
TEST_F(PostgresOptimisticClaims, CountEveryCommitLikeTheServer) {
  const auto node = open_node();
  const NewJob job = new_job();
  NewJob special = new_job();
  special.expires_at = Instant::millis(1'800'000'900'000);
  Claim refused = new_claim();
  refused.worker.clear();
  Lease lease;
  const Claim claim = new_claim();
  const std::vector<std::pair<const char*, std::function<std::vector<Command>()>>> cases = {
      {"nothing to give", [&] { return std::vector<Command>{new_claim()}; }},
      {"refused", [&] { return std::vector<Command>{refused}; }},
      {"a new job", [&] { return std::vector<Command>{enqueue(job)}; }},
      {"the same again", [&] { return std::vector<Command>{enqueue(job)}; }},
      {"a claim", [&] { return std::vector<Command>{claim}; }},
      {"the same claim", [&] { return std::vector<Command>{claim}; }},
      {"an outcome", [&] { return std::vector<Command>{complete(lease)}; }},
      {"the same outcome", [&] { return std::vector<Command>{complete(lease)}; }},
      {"a job and its claim",
       [&] {
         return std::vector<Command>{enqueue(new_job()), new_claim(1, "x")};
       }},
      {"a special job", [&] { return std::vector<Command>{enqueue(special)}; }},
      {"a claim of it", [&] { return std::vector<Command>{new_claim()}; }},
  };
  for (const auto& [name, commands] : cases) {
    SCOPED_TRACE(name);
    const Committed done = commit(*node, commands());
    for (const Verdict& verdict : done.verdicts) {
      const auto* leased = std::get_if<Leased>(&verdict);
      if (leased != nullptr && !leased->leases.empty()) lease = leased->leases[0];
    }
    cut_connections();
    commit(*node, {new_claim()});
    const std::string seen = sql("SELECT max(commits) FROM @witness");
    sql("UPDATE @witness SET commits = commits - 1");
    cut_connections();
    const Command ask = new_claim();
    EXPECT_FALSE(node->store().commit({&ask, 1}).ok()) << seen;
    sql("UPDATE @witness SET commits = commits + 1");
    commit(*node, {new_claim()});
  }
}

TEST_F(PostgresOptimisticClaims, WriteNothingWithoutJobs) {
  const auto node = open_node();
  const std::string before = sql("SELECT sum(commits) FROM @witness");
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(give(*node, new_claim()).empty());
  EXPECT_EQ(sql("SELECT sum(commits) FROM @witness"), before);
  commit(*node, {enqueue(new_job())});
  EXPECT_EQ(give(*node, new_claim()).size(), 1u);
  EXPECT_EQ(outright(), 1);
  EXPECT_EQ(std::stoi(sql("SELECT sum(commits) FROM @witness")), std::stoi(before) + 2);
}

}  // namespace
}  // namespace longshore::postgres_test
