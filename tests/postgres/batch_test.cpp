// Batches in which all jobs change the same way, and batches in which some do not. The former share
// statements, the latter are written one by one; the result must be the same.
#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <thread>

#include "postgres/fixture.h"

namespace longshore::postgres_test {
namespace {

constexpr const char* ns = "default";

class PostgresBatches : public PostgresTest {
 protected:
  NewJob new_job(const std::string& type, const std::string& queue = "default") {
    NewJob fresh{.id = ids_.next(Instant::millis(1'800'000'000'000)), .type = type, .queue = queue};
    fresh.body.payload = "{\"type\":\"" + type + "\"}";
    return fresh;
  }
  Committed commit(Backend& backend, const std::vector<Command>& commands) {
    auto committed = backend.store().commit(commands);
    EXPECT_TRUE(committed.ok());
    return committed ? std::move(*committed) : Committed();
  }
  std::vector<Lease> claim(Backend& backend, int limit) {
    const Claim wanted{
        .id = random_id<RequestId>(random_), .ns = ns, .worker = "w", .limit = limit};
    const Committed committed = commit(backend, {wanted});
    return std::get<Leased>(committed.verdicts.at(0)).leases;
  }
  static Complete complete(const Lease& lease) {
    return {.ns = ns, .job = lease.job, .token = lease.token, .result = "\"" + lease.type + "\""};
  }
  static JobRecord record(Backend& backend, const JobId& id) {
    auto found = backend.catalog().get(ns, id);
    EXPECT_TRUE(found.ok());
    return found ? std::move(*found) : JobRecord();
  }

  SeededRandom random_{11};
  JobIds ids_{random_};
};

// More kinds than are written together.
TEST_F(PostgresBatches, OfManyKindsAreWrittenCorrectly) {
  constexpr int kinds = 20;
  const auto store = open();
  std::vector<Command> arrivals;
  std::map<JobId, std::string> types;
  for (int i = 0; i < 3 * kinds; ++i) {
    const NewJob fresh = new_job("type-" + std::to_string(i % kinds));
    types[fresh.id] = fresh.type;
    arrivals.emplace_back(Enqueue{.ns = ns, .jobs = {fresh}});
  }
  commit(*store, arrivals);
  EXPECT_TRUE(store->catalog().audit()->sound());
  const std::vector<Lease> leases = claim(*store, 3 * kinds);
  ASSERT_EQ(leases.size(), types.size());
  EXPECT_TRUE(store->catalog().audit()->sound());
  std::vector<Command> ends;
  for (const Lease& lease : leases) {
    EXPECT_EQ(lease.body.payload, "{\"type\":\"" + types[lease.job] + "\"}");
    ends.emplace_back(complete(lease));
  }
  commit(*store, ends);
  EXPECT_TRUE(store->catalog().audit()->sound());
  for (const auto& [id, type] : types) {
    const JobRecord ended = record(*store, id);
    EXPECT_EQ(ended.job.state, State::success);
    EXPECT_EQ(ended.job.type, type);
    EXPECT_EQ(ended.result, "\"" + type + "\"");
    EXPECT_EQ(ended.history.size(), 4u) << "created, queued, running, success";
    EXPECT_FALSE(ended.job.lease_expires_at.has_value());
  }
}

// Each of these is written individually; the plain one between them is not affected.
TEST_F(PostgresBatches, MayMixBulkAndSingleWrites) {
  const auto store = open();
  NewJob plain = new_job("work"), keyed = new_job("work"), once = new_job("work"),
         later = new_job("work");
  NewJob other = new_job("work", "other"), expiring = new_job("work"), tagged = new_job("work");
  keyed.job_key = "key";
  once.idempotency_key = "once";
  later.delay = Duration::seconds(3600);
  expiring.expires_at = Instant::millis(4'000'000'000'000);
  tagged.body.tags = {"red", "blue"};
  tagged.body.metadata = "{\"a\":\"b\"}";
  std::vector<Command> arrivals;
  for (const NewJob& fresh : {plain, keyed, once, later, other, expiring, tagged}) {
    arrivals.emplace_back(Enqueue{.ns = ns, .jobs = {fresh}});
  }
  commit(*store, arrivals);
  EXPECT_TRUE(store->catalog().audit()->sound());
  EXPECT_EQ(record(*store, later.id).job.state, State::scheduled);
  EXPECT_EQ(record(*store, tagged.id).body, tagged.body);
  EXPECT_EQ(record(*store, keyed.id).job.job_key, "key");

  std::vector<Lease> leases = claim(*store, 10);
  ASSERT_EQ(leases.size(), 5u) << "all but the later one and that of the other queue";
  EXPECT_TRUE(store->catalog().audit()->sound());
  std::vector<Command> ends;
  for (const Lease& lease : leases) {
    if (lease.job == plain.id) {
      ends.emplace_back(Fail{.ns = ns,
                             .job = lease.job,
                             .token = lease.token,
                             .error = {.code = "BROKEN", .message = "as told"},
                             .retryable = false});
    } else {
      ends.emplace_back(complete(lease));
    }
  }
  commit(*store, ends);
  EXPECT_TRUE(store->catalog().audit()->sound());
  const JobRecord failed = record(*store, plain.id);
  EXPECT_EQ(failed.job.state, State::dead);
  EXPECT_EQ(std::ssize(failed.history), failed.job.history_count);
  ASSERT_TRUE(failed.error.has_value());
  EXPECT_EQ(failed.error->code, "BROKEN");
  for (const NewJob& fresh : {keyed, once, expiring, tagged}) {
    EXPECT_EQ(record(*store, fresh.id).job.state, State::success);
    EXPECT_EQ(record(*store, fresh.id).history.size(), 4u);
  }
}

// A claim of several jobs loses those that ended, and keeps the others.
TEST_F(PostgresBatches, EndSomeJobsOfAClaimAndKeepTheOthers) {
  const auto store = open();
  std::vector<Command> arrivals;
  for (int i = 0; i < 6; ++i) arrivals.emplace_back(Enqueue{.ns = ns, .jobs = {new_job("work")}});
  commit(*store, arrivals);
  const std::vector<Lease> leases = claim(*store, 6);
  ASSERT_EQ(leases.size(), 6u);
  commit(*store, {complete(leases[0]), complete(leases[3])});
  EXPECT_TRUE(store->catalog().audit()->sound());
  EXPECT_EQ(sql("SELECT count(*) FROM @held"), "4");
  commit(*store,
         {complete(leases[1]), complete(leases[2]), complete(leases[4]), complete(leases[5])});
  EXPECT_TRUE(store->catalog().audit()->sound());
  EXPECT_EQ(sql("SELECT count(*) FROM @held"), "0");
}

// Rare fields are stored as one value, and read back completely.
TEST_F(PostgresBatches, ReadBackRareFields) {
  const auto store = open();
  NewJob rich = new_job("work");
  rich.job_key = "key";
  rich.idempotency_key = "once";
  rich.callback = Callback{.url = "https://example.com/done", .secret_name = "secret"};
  rich.expires_at = Instant::millis(4'000'000'000'000);
  commit(*store, {Enqueue{.ns = ns, .jobs = {rich}}});
  const std::vector<Lease> leases = claim(*store, 1);
  ASSERT_EQ(leases.size(), 1u);
  const Job job = record(*store, rich.id).job;
  EXPECT_EQ(job.job_key, rich.job_key);
  EXPECT_EQ(job.idempotency_key, rich.idempotency_key);
  EXPECT_EQ(job.callback, rich.callback);
  EXPECT_EQ(job.expires_at, rich.expires_at);
  EXPECT_EQ(job.worker, "w");
  EXPECT_TRUE(store->catalog().audit()->sound());
}

// Many claims of one job each are assumed to be new; repeated ones are not.
class PostgresManyClaims : public PostgresBatches {
 protected:
  static constexpr int many = 40;

  void fill(Backend& backend, int jobs) {
    std::vector<Command> arrivals;
    for (int i = 0; i < jobs; ++i) {
      arrivals.emplace_back(Enqueue{.ns = ns, .jobs = {new_job("work")}});
    }
    commit(backend, arrivals);
  }
  std::vector<Command> claims() {
    std::vector<Command> all;
    for (int i = 0; i < many; ++i) {
      all.emplace_back(Claim{.id = random_id<RequestId>(random_), .ns = ns, .worker = "w"});
    }
    return all;
  }
  // The job of each, none if it got nothing.
  std::vector<std::optional<JobId>> given(Backend& backend, const std::vector<Command>& claims) {
    std::vector<std::optional<JobId>> jobs;
    for (const Verdict& verdict : commit(backend, claims).verdicts) {
      const auto& leases = std::get<Leased>(verdict).leases;
      EXPECT_LE(leases.size(), 1u);
      jobs.push_back(leases.empty() ? std::nullopt : std::optional(leases[0].job));
    }
    return jobs;
  }
};

TEST_F(PostgresManyClaims, AreAnsweredAsBeforeWhenRepeated) {
  const auto store = open(), other = open();
  fill(*store, 3 * many);
  const std::vector<Command> first = claims();
  const auto jobs = given(*store, first);
  EXPECT_EQ(std::set(jobs.begin(), jobs.end()).size(), std::size_t{many});
  EXPECT_EQ(given(*other, first), jobs);
  EXPECT_EQ(given(*store, first), jobs);
  EXPECT_EQ(store->catalog().queues(ns)->at(0).depth.at(State::running), many);
  EXPECT_TRUE(store->catalog().audit()->sound());
}

TEST_F(PostgresManyClaims, ReturnTheirJobsWhenRepeatedWithoutABacklog) {
  const auto store = open(), other = open();
  fill(*store, many / 2);
  const std::vector<Command> first = claims();
  const auto jobs = given(*store, first);
  EXPECT_EQ(std::ranges::count_if(jobs, [](const auto& job) { return job.has_value(); }), many / 2);
  EXPECT_EQ(given(*other, first), jobs);
}

TEST_F(PostgresManyClaims, GetTheSameJobsWhenSentTwiceAtOnce) {
  constexpr int rounds = 20;
  const auto store = open(), other = open();
  fill(*store, 2 * many * rounds);
  for (int round = 0; round < rounds; ++round) {
    const std::vector<Command> wanted = claims();
    std::vector<std::optional<JobId>> there;
    std::jthread thread([&] { there = given(*other, wanted); });
    const auto here = given(*store, wanted);
    thread.join();
    ASSERT_EQ(here, there);
  }
  EXPECT_EQ(store->catalog().queues(ns)->at(0).depth.at(State::running), many * rounds);
  EXPECT_TRUE(store->catalog().audit()->sound());
}

}  // namespace
}  // namespace longshore::postgres_test
