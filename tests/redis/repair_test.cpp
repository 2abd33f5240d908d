// Another program wrote to Redis: a sweep repairs the data, and reports it.
#include <algorithm>
#include <atomic>
#include <iterator>
#include <thread>

#include "core/policy/profiles.h"
#include "redis/store_fixture.h"

namespace longshore::redis_test {
namespace {

class RedisRepair : public RedisStore {
 protected:
  // Enough sweeps to visit all keys of a server that is shared with others.
  static constexpr int sweeps_max = 5000;

  // A job with the key "dead" fails for good, any other keeps running.
  Lease start_keyed(const std::string& key) {
    enqueue({.id = ids_.next(start), .type = "keyed", .body = {.payload = "1"}, .job_key = key});
    const Lease held = lease(1, {{"keyed"}}).at(0);
    if (key != "dead") return held;
    const Verdict failed = send(Fail{.ns = "default",
                                     .job = held.job,
                                     .token = held.token,
                                     .error = {.code = "BROKEN", .message = "m"},
                                     .retryable = false});
    EXPECT_TRUE(std::holds_alternative<Settled>(failed));
    return held;
  }
};

TEST_F(RedisRepair, RestoresTheJobsOfALostList) {
  std::vector<JobId> jobs;
  for (int i = 0; i < 5; ++i) jobs.push_back(enqueue());
  ask({"DEL", ready_list()});
  EXPECT_EQ(findings(), (std::set<std::string>{"ready-missing"}));
  const Swept swept = sweep();
  EXPECT_EQ(swept.repaired.size(), 5u);
  EXPECT_TRUE(findings().empty());
  std::vector<JobId> claimed = claim(10);
  std::ranges::sort(claimed);
  EXPECT_EQ(claimed, jobs);
}

TEST_F(RedisRepair, RestoresSingleJobsAndKeepsTheOrderOfTheOthers) {
  const JobId lost = enqueue();
  const JobId second = enqueue();
  const JobId third = enqueue();
  ask({"LPOP", ready_list()});
  EXPECT_EQ(sweep().repaired.size(), 1u);
  EXPECT_TRUE(sweep().repaired.empty());
  EXPECT_EQ(claim(10), (std::vector<JobId>{second, third, lost}));
}

TEST_F(RedisRepair, CorrectsChangedTimes) {
  const JobId later = enqueue(Duration::seconds(60));
  enqueue();
  const JobId running = claim(1).at(0);
  ask({"DEL", keys().one("future"), keys().one("leases")});
  ask({"ZADD", keys().one("future"), "1", to_text(running)});
  EXPECT_EQ(findings(),
            (std::set<std::string>{"future-missing", "future-stray", "leases-missing"}));
  EXPECT_EQ(sweep().repaired.size(), 3u);
  EXPECT_TRUE(findings().empty());
  clock_.advance(Duration::seconds(61));
  EXPECT_EQ(std::get<Swept>(send(Due{})).count, 1);
  EXPECT_EQ(std::get<Swept>(send(Reap{})).count, 1);
  EXPECT_EQ(backend_->catalog().glance("default", later)->state, State::queued);
}

// Each case: what another program wrote, what an audit then finds, and how many repairs fix it.
TEST_F(RedisRepair, CorrectsEveryChangedStructure) {
  const JobId queued = enqueue();
  const JobId dead = start_keyed("dead").job;
  const JobId running = start_keyed("live").job;
  const std::string stranger = to_text(ids_.next(start));
  const std::string letters = keys().one("dead"), jobs = keys().one("jobs");
  const std::string claims = keys().one("claims"), counts = keys().one("counts");
  const std::string live_key = keys().job_key("keyed/live");
  const std::string dead_key = keys().job_key("keyed/dead");
  const std::string element = ask({"LINDEX", ready_list(), "0"}).text;
  const std::string claim = ask({"ZRANGE", claims, "0", "0"}).items.at(0).text;
  struct Damage {
    std::string what;
    std::vector<redis::Words> done;
    std::set<std::string> found;
    std::size_t repairs = 1;
  };
  const std::vector<Damage> damages = {
      {"no dead letter", {{"DEL", letters}}, {"dead-missing"}},
      {"a dead letter twice", {{"RPUSH", letters, to_text(dead)}}, {"dead-stray"}},
      {"a letter that is not dead", {{"LPUSH", letters, to_text(queued)}}, {"dead-stray"}},
      {"a letter of no job", {{"LPUSH", letters, stranger}}, {"dead-stray"}},
      {"one letter for another",
       {{"DEL", letters}, {"RPUSH", letters, stranger}},
       {"dead-missing", "dead-stray"},
       2},
      {"no job under a key", {{"DEL", live_key}}, {"live-key-missing"}},
      {"a live job that stands as ended",
       {{"ZADD", live_key, "7", to_text(running)}},
       {"live-key-missing"}},
      {"an ended job that stands as live",
       {{"ZADD", dead_key, "+inf", to_text(dead)}},
       {"live-key-missing"}},
      {"another's job under a key",
       {{"ZADD", live_key, "+inf", to_text(queued)}},
       {"live-key-stray"}},
      {"no job at all under a key",
       {{"ZADD", keys().job_key("keyed/none"), "+inf", stranger}},
       {"live-key-stray"}},
      {"a claim of no job",
       {{"ZADD", claims, "0", claim.substr(0, 33) + stranger}},
       {"claim-stray"}},
      {"no claim", {{"DEL", claims}}, {"claim-missing"}},
      {"a time of no job", {{"ZADD", keys().one("leases"), "inf", stranger}}, {"leases-stray"}},
      {"a job that is not listed", {{"ZREM", jobs, to_text(queued)}}, {"index-missing"}},
      {"a job that is none", {{"ZADD", jobs, "0", stranger}}, {"index-stray"}},
      {"a queued job twice in its list", {{"RPUSH", ready_list(), element}}, {"ready-twice"}},
      {"another state by name",
       {{"HSET", keys().job(queued), "state", "RUNNING"}},
       {"names-wrong"}},
      {"no attempt by name", {{"HDEL", keys().job(dead), "attempt"}}, {"names-wrong"}},
      {"wrong counts of the dead", {{"HINCRBY", counts, "q/default/7", "3"}}, {"count-wrong"}},
      {"wrong counts of the queued", {{"HINCRBY", counts, "q/default/2", "-1"}}, {"count-wrong"}},
  };
  for (const Damage& damage : damages) {
    SCOPED_TRACE(damage.what);
    ASSERT_TRUE(findings().empty());
    for (const redis::Words& words : damage.done) ask(words);
    EXPECT_TRUE(std::ranges::includes(findings(), damage.found));
    // A sweep visits a part of the keys, and may find missing entries only after stray ones.
    std::vector<std::string> repaired;
    for (int i = 0; i < sweeps_max && repaired.size() < damage.repairs; ++i)
      std::ranges::move(sweep().repaired, std::back_inserter(repaired));
    EXPECT_EQ(repaired.size(), damage.repairs) << testing::PrintToString(repaired);
    EXPECT_TRUE(findings().empty());
    EXPECT_TRUE(sweep().repaired.empty());
  }
}

// As an older version counted it, among the dead letters.
TEST_F(RedisRepair, CountsAWithdrawnJobAsCanceled) {
  const std::string url = server_url("prefix=" + prefix());
  const auto backend = open_redis({.url = url, .clock = &clock_}, *profile("scheduler")).value();
  const NewJob job{.id = ids_.next(start), .type = "work", .body = {.payload = "1"}};
  send(*backend, Enqueue{.ns = "default", .jobs = {job}});
  send(*backend, Cancel{.ns = "default", .job = job.id});
  EXPECT_TRUE(backend->catalog().audit()->sound());
  const std::string counts = redis::Keys(redis::parse_url(url)->prefix, "default").one("counts");
  ask({"HINCRBY", counts, "q/default/7", "1"});
  ask({"HINCRBY", counts, "q/default/8", "-1"});
  EXPECT_EQ(std::get<Swept>(send(*backend, Sweep{})).repaired.size(), 2U);
  EXPECT_TRUE(backend->catalog().audit()->sound());
}

TEST_F(RedisRepair, RepairsNothingWhileOtherNodesWork) {
  std::atomic<bool> going = true;
  {
    const std::jthread other([&] {
      const auto backend = open();
      SeededRandom random(5);
      JobIds ids(random);
      while (going) {
        const NewJob job{.id = ids.next(start),
                         .type = "keyed",
                         .body = {.payload = "1"},
                         .job_key = std::to_string(random.below(7))};
        send(*backend, Enqueue{.ns = "default", .jobs = {job}});
        const Verdict verdict = send(
            *backend, Claim{.id = random_id<RequestId>(random), .ns = "default", .worker = "w"});
        for (const Lease& lease : std::get<Leased>(verdict).leases) {
          send(*backend, Fail{.ns = "default",
                              .job = lease.job,
                              .token = lease.token,
                              .error = {.code = "BROKEN", .message = "m"},
                              .retryable = random.below(2) == 0});
        }
      }
    });
    for (int i = 0; i < 100; ++i) {
      const std::vector<std::string> repaired = sweep().repaired;
      EXPECT_TRUE(repaired.empty()) << repaired.front();
    }
    going = false;
  }
  EXPECT_TRUE(findings().empty());
}

}  // namespace
}  // namespace longshore::redis_test
