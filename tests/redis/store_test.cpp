// What only a store on Redis can get wrong: damage done by others, elements that are nobody's,
// memory that runs out, two processes at one list.
#include "store/redis/store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "core/clock.h"
#include "core/uuid.h"
#include "redis/server.h"
#include "store/redis/keys.h"
#include "store/redis/reader.h"

namespace longshore {
namespace {

constexpr Instant start = Instant::millis(1'800'000'000'000);

class RedisStore : public testing::Test {
 protected:
  RedisStore() : url_(redis_test::server_url("prefix=" + prefix())) {
    backend_ = open();
    channel_ = *redis::connect(*redis::parse_url(url_), {});
  }

  static std::string prefix() {
    static int made = 0;
    return "s" + std::to_string(::getpid()) + "_" + std::to_string(++made);
  }
  std::unique_ptr<Backend> open() {
    auto opened = open_redis({.url = url_, .alarm = {}, .clock = &clock_}, Rules());
    if (!opened) ADD_FAILURE() << opened.error().message;
    return std::move(*opened);
  }

  Verdict send(const Command& command) { return send(*backend_, command); }
  static Verdict send(Backend& backend, const Command& command) {
    const auto committed = backend.store().commit({&command, 1});
    EXPECT_TRUE(committed.ok()) << (committed ? "" : committed.error().message);
    return committed ? committed->verdicts.at(0) : Verdict(Refusal{.code = Code::internal});
  }
  JobId enqueue(Duration delay = {}) {
    const NewJob job{
        .id = ids_.next(start), .type = "work", .body = {.payload = "1"}, .delay = delay};
    EXPECT_TRUE(std::holds_alternative<Enqueued>(send(Enqueue{.ns = "default", .jobs = {job}})));
    return job.id;
  }
  std::vector<JobId> claim(int limit) {
    const Verdict verdict = send(
        Claim{.id = random_id<RequestId>(random_), .ns = "default", .worker = "w", .limit = limit});
    std::vector<JobId> jobs;
    for (const Lease& lease : std::get<Leased>(verdict).leases) jobs.push_back(lease.job);
    return jobs;
  }
  // One command to Redis itself, behind the store's back.
  redis::Reply ask(const redis::Words& words) {
    auto replies = redis::Reader(*channel_, keys()).read({words});
    EXPECT_TRUE(replies.ok());
    return replies ? replies->at(0) : redis::Reply();
  }
  redis::Keys keys() const { return {redis::parse_url(url_)->prefix, "default"}; }
  std::string ready_list() const {
    return keys().ready({.queue = "default", .priority = 5, .type = "work"});
  }
  std::set<std::string> findings() {
    std::set<std::string> rules;
    const auto audit = backend_->catalog().audit();
    EXPECT_TRUE(audit.ok());
    if (!audit) return {"unreadable"};
    for (const Finding& finding : audit->findings) rules.insert(finding.rule);
    return rules;
  }
  Swept sweep() { return std::get<Swept>(send(Sweep{})); }

  SeededRandom random_{7};
  JobIds ids_{random_};
  ManualClock clock_{start};
  const std::string url_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<redis::Channel> channel_;
};

TEST_F(RedisStore, PutsJobsBackThatALostListHeld) {
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

TEST_F(RedisStore, PutsSingleJobsBackAndLeavesTheOthersInTheirOrder) {
  const JobId lost = enqueue();
  const JobId second = enqueue();
  const JobId third = enqueue();
  ask({"LPOP", ready_list()});
  EXPECT_EQ(sweep().repaired.size(), 1u);
  EXPECT_TRUE(sweep().repaired.empty());
  EXPECT_EQ(claim(10), (std::vector<JobId>{second, third, lost}));
}

TEST_F(RedisStore, PutsTimesRightThatOthersChanged) {
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

TEST_F(RedisStore, DropsWhatIsNobodysWhenAClaimComesToIt) {
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

TEST_F(RedisStore, GivesEachJobToOneOfManyNodes) {
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

TEST(RedisMemory, RefusesNewJobsBeforeItIsFullAndSettlesThoseThereAre) {
  redis_test::OwnServers server({.settings = {"maxmemory=24mb", "maxmemory-policy=noeviction"}});
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
    if (!committed) return true;
    if (const auto* said = std::get_if<Refusal>(&committed->verdicts[0])) refusal = *said;
    return refusal.has_value();
  };
  // The memory is looked at every second, so filling goes on until that has been noticed.
  for (int i = 0; i < 120 && !fill(); ++i) {
  }
  ASSERT_TRUE(redis_test::wait_until(fill));
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
}  // namespace longshore
