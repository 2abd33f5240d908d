// Problems that only a store on Redis can have: orphaned list elements, memory limits, and two
// processes on one list.
#include <algorithm>
#include <atomic>
#include <thread>

#include "redis/store_fixture.h"
#include "store/execute/verbs.h"
#include "store/redis/transaction.h"

namespace longshore::redis_test {
namespace {

TEST_F(RedisStore, AClaimRemovesOrphanedElements) {
  std::vector<JobId> jobs;
  for (int i = 0; i < 40; ++i) jobs.push_back(enqueue());
  for (int i = 0; i < 39; ++i) {
    send(Cancel{.ns = "default", .job = jobs[static_cast<std::size_t>(i)], .actor = {}});
  }
  EXPECT_EQ(ask({"LLEN", ready_list()}).integer, 40);
  EXPECT_TRUE(findings().empty());
  EXPECT_EQ(claim(1), std::vector<JobId>{jobs.back()});
  EXPECT_EQ(ask({"EXISTS", ready_list()}).integer, 0);
  EXPECT_TRUE(findings().empty());
}

// A batch may read a list later than a job in it.
TEST_F(RedisStore, KeepsAnElementWhoseJobWasCreatedMeanwhile) {
  const JobId job = enqueue(Duration::seconds(10));
  RulesCopy rules(first_record(Rules()));
  redis::Copies copies;
  StoreTime time({.highest = start, .stepped_at = {}});
  const redis::Surroundings around{
      .channel = *channel_, .rules = rules, .copies = copies, .clock = &clock_, .time = time};
  redis::RedisTransaction unit(around, "default", start);
  const Command names_it = Cancel{.ns = "default", .job = job, .actor = {}};
  const std::vector<const Command*> batch = {&names_it};
  unit.begin(batch, false);
  clock_.advance(Duration::seconds(11));
  EXPECT_EQ(std::get<Swept>(send(Due{})).count, 1);
  std::vector<JobEvent> events;
  unit.begin_command(events);
  const Command claims = Claim{.id = random_id<RequestId>(random_), .ns = "default", .worker = "w"};
  std::vector<Verdict> verdicts = {execute::run_command(unit, claims)};
  const auto done = unit.finish(verdicts);
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_FALSE(*done) << "the decision was based on old data";
  EXPECT_EQ(claim(1), std::vector<JobId>{job});
  EXPECT_TRUE(findings().empty());
}

// Pauses and limits are cached; a decision based on an old copy must be repeated.
TEST_F(RedisStore, AppliesNoDecisionBasedOnAnOldConfiguration) {
  const Command pauses = PauseQueue{.ns = "default", .queue = "default"};
  const Command limits =
      Configure{.queues = {{.ns = "default", .queue = "default", .max_running = 1}}};
  for (const Command& change : {pauses, limits}) {
    SCOPED_TRACE(name_of(change));
    const JobId job = enqueue();
    RulesCopy rules(first_record(Rules()));
    redis::Copies copies;
    StoreTime time({.highest = start, .stepped_at = {}});
    const redis::Surroundings around{
        .channel = *channel_, .rules = rules, .copies = copies, .clock = &clock_, .time = time};
    redis::RedisTransaction unit(around, "default", start);
    const Command claims =
        Claim{.id = random_id<RequestId>(random_), .ns = "default", .worker = "w"};
    const std::vector<const Command*> batch = {&claims};
    unit.begin(batch, false);
    send(change);
    std::vector<JobEvent> events;
    unit.begin_command(events);
    std::vector<Verdict> verdicts = {execute::run_command(unit, claims)};
    const auto done = unit.finish(verdicts);
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_FALSE(*done) << "the decision was based on old data";
    EXPECT_EQ(backend_->catalog().glance("default", job)->state, State::queued);
    send(PauseQueue{.ns = "default", .queue = "default", .paused = false});
  }
  EXPECT_TRUE(findings().empty());
}

TEST_F(RedisStore, AppliesNoDecisionToAJobThatHasChanged) {
  enqueue();
  const Lease held = lease(1).at(0);
  RulesCopy rules(first_record(Rules()));
  redis::Copies copies;
  StoreTime time({.highest = start, .stepped_at = {}});
  const redis::Surroundings around{
      .channel = *channel_, .rules = rules, .copies = copies, .clock = &clock_, .time = time};
  redis::RedisTransaction unit(around, "default", start);
  const Command fails =
      Fail{.ns = "default", .job = held.job, .token = held.token, .error = {.code = "LATE"}};
  const std::vector<const Command*> batch = {&fails};
  unit.begin(batch, false);
  send(Complete{.ns = "default", .job = held.job, .token = held.token});
  std::vector<JobEvent> events;
  unit.begin_command(events);
  std::vector<Verdict> verdicts = {execute::run_command(unit, fails)};
  const auto done = unit.finish(verdicts);
  ASSERT_TRUE(done.ok()) << done.error().message;
  EXPECT_FALSE(*done) << "the decision was based on old data";
  EXPECT_EQ(backend_->catalog().glance("default", held.job)->state, State::success);
  EXPECT_TRUE(findings().empty());
}

TEST_F(RedisStore, LeasesEachJobToOneOfManyNodes) {
  constexpr int nodes = 4, jobs = 300;
  for (int i = 0; i < jobs; ++i) enqueue();
  std::vector<std::vector<JobId>> taken(nodes);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < nodes; ++i) {
      threads.emplace_back([&, i] {
        const auto backend = open();
        SeededRandom random(static_cast<std::uint64_t>(i) + 100);
        for (;;) {
          const Verdict verdict = send(
              *backend,
              Claim{
                  .id = random_id<RequestId>(random), .ns = "default", .worker = "w", .limit = 7});
          const auto& leases = std::get<Leased>(verdict).leases;
          if (leases.empty()) return;
          for (const Lease& lease : leases) taken[static_cast<std::size_t>(i)].push_back(lease.job);
        }
      });
    }
  }
  std::multiset<JobId> all;
  for (const auto& some : taken) all.insert(some.begin(), some.end());
  EXPECT_EQ(all.size(), std::size_t{jobs});
  EXPECT_EQ(std::set<JobId>(all.begin(), all.end()).size(), std::size_t{jobs});
  EXPECT_TRUE(findings().empty());
}

// Ended jobs are kept no longer than their retention, and up to this number or size.
class RedisRetention : public RedisStore {
 protected:
  explicit RedisRetention(const std::string& options) : RedisStore(options) {}

  // In the order in which they may be pruned.
  std::vector<JobId> finish(int count, std::size_t bytes) {
    std::vector<JobId> jobs;
    for (int i = 0; i < count; ++i) {
      enqueue({.id = ids_.next(start),
               .type = "work",
               .body = {.payload = "\"" + std::string(bytes, 'x') + "\""}});
      const Lease held = lease(1).at(0);
      send(Complete{.ns = "default", .job = held.job, .token = held.token});
      jobs.push_back(held.job);
      clock_.advance(Duration::millis(1));
    }
    return jobs;
  }
  bool is_kept(const JobId& id) { return backend_->catalog().glance("default", id).ok(); }
  std::int64_t prune(int limit = 1000) {
    return std::get<Swept>(send(Prune{.limit = limit})).count;
  }
  std::int64_t kept_bytes() {
    return std::atoll(ask({"HGET", keys().meta(), "kept"}).text.c_str());
  }
};

class RedisRetentionByCount : public RedisRetention {
 protected:
  RedisRetentionByCount() : RedisRetention("&keep_jobs=3") {}
};

TEST_F(RedisRetentionByCount, PrunesTheJobsThatExpireFirst) {
  const std::vector<JobId> jobs = finish(10, 1);
  enqueue();
  EXPECT_EQ(prune(5), 5);
  EXPECT_EQ(prune(5), 2);
  EXPECT_EQ(prune(5), 0);
  for (std::size_t i = 0; i < jobs.size(); ++i) EXPECT_EQ(is_kept(jobs[i]), i >= 7) << i;
  EXPECT_EQ(lease(10).size(), 1u);
  EXPECT_TRUE(findings().empty());
}

TEST_F(RedisRetentionByCount, KeepsDeadLettersWithinTheirRetention) {
  std::vector<JobId> dead;
  for (int i = 0; i < 5; ++i) {
    enqueue();
    const Lease held = lease(1).at(0);
    send(Fail{.ns = "default",
              .job = held.job,
              .token = held.token,
              .error = {.code = "BROKEN", .message = "m"},
              .retryable = false});
    dead.push_back(held.job);
  }
  finish(4, 1);
  EXPECT_EQ(prune(), 1);
  for (const JobId& id : dead) EXPECT_TRUE(is_kept(id));
}

class RedisRetentionByBytes : public RedisRetention {
 protected:
  RedisRetentionByBytes() : RedisRetention("&keep_bytes=100kb") {}
};

TEST_F(RedisRetentionByBytes, PrunesUntilTheRestFits) {
  const std::vector<JobId> jobs = finish(6, 30'000);
  EXPECT_GT(kept_bytes(), 6 * 30'000);
  EXPECT_TRUE(findings().empty());
  EXPECT_EQ(prune(), 3);
  EXPECT_LE(kept_bytes(), 100 * 1024);
  EXPECT_GT(kept_bytes(), 3 * 30'000);
  for (std::size_t i = 0; i < jobs.size(); ++i) EXPECT_EQ(is_kept(jobs[i]), i >= 3) << i;
  EXPECT_TRUE(findings().empty());
  clock_.advance(Duration::days(8));
  EXPECT_EQ(prune(), 3);
  EXPECT_EQ(kept_bytes(), 0);
}

// The option may be set after the jobs were created.
TEST_F(RedisRetentionByBytes, CountsJobsThatEndedBeforeTheOptionWasSet) {
  finish(6, 30'000);
  for (const auto& name : ask({"ZRANGE", keys().one("jobs"), "0", "-1"}).items) {
    ask({"HDEL", keys().one("job:" + name.text), "size"});
  }
  ask({"HDEL", keys().meta(), "kept"});
  EXPECT_EQ(prune(), 0);
  EXPECT_TRUE(sweep().repaired.empty());
  EXPECT_EQ(prune(), 3);
  EXPECT_TRUE(findings().empty());
}

TEST(RedisMemory, RefusesNewJobsBeforeItIsFullAndSettlesExistingOnes) {
  OwnServers server({.settings = {"maxmemory=24mb", "maxmemory-policy=noeviction"}});
  auto opened = open_redis({.url = server.url("")}, Rules());
  ASSERT_TRUE(opened.ok()) << opened.error().message;
  Backend& backend = **opened;
  SeededRandom random(3);
  JobIds ids(random);
  std::optional<Refusal> refusal;
  const std::string payload = "\"" + std::string(100'000, 'x') + "\"";
  const auto fill = [&] {
    const Command command =
        Enqueue{.ns = "default",
                .jobs = {{.id = ids.next(start), .type = "work", .body = {.payload = payload}}}};
    const auto committed = backend.store().commit({&command, 1});
    EXPECT_TRUE(committed.ok()) << committed.error().message;
    if (!committed) return true;
    if (const auto* said = std::get_if<Refusal>(&committed->verdicts[0])) refusal = *said;
    return refusal.has_value();
  };
  // As fast as possible: the store checks Redis's memory only every second.
  for (int i = 0; i < 1000 && !fill(); ++i) {
  }
  ASSERT_TRUE(refusal.has_value());
  EXPECT_EQ(refusal->code, Code::disk_full);
  const Command claim = Claim{.id = random_id<RequestId>(random), .ns = "default", .worker = "w"};
  const auto claimed = backend.store().commit({&claim, 1});
  ASSERT_TRUE(claimed.ok()) << claimed.error().message;
  const Lease lease = std::get<Leased>(claimed->verdicts[0]).leases.at(0);
  const Command complete = Complete{.ns = "default", .job = lease.job, .token = lease.token};
  const auto settled = backend.store().commit({&complete, 1});
  ASSERT_TRUE(settled.ok()) << settled.error().message;
  EXPECT_TRUE(std::holds_alternative<Settled>(settled->verdicts[0]));
}

}  // namespace
}  // namespace longshore::redis_test
