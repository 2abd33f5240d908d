// A node caches the jobs that it wrote. Here another node changes them in the meantime.
#include <map>

#include "redis/store_fixture.h"

namespace longshore::redis_test {
namespace {

constexpr int many = 200;  // more than a claim reads one by one

class RedisCachedJobs : public RedisStore {
 protected:
  NewJob new_job(int number) {
    return {.id = ids_.next(start),
            .type = "work",
            .body = {.payload = "{\"number\":" + std::to_string(number) + "}"}};
  }
  std::vector<JobId> enqueue_many() {
    std::vector<JobId> jobs;
    for (int i = 0; i < many; ++i) jobs.push_back(enqueue(new_job(i)));
    return jobs;
  }
  std::vector<Lease> lease_at(Backend& node, int limit) {
    const Verdict verdict = send(
        node,
        Claim{.id = random_id<RequestId>(random_), .ns = "default", .worker = "w", .limit = limit});
    return std::get<Leased>(verdict).leases;
  }
  static bool completes(Backend& node, const Lease& lease) {
    const Command complete = Complete{.ns = "default", .job = lease.job, .token = lease.token};
    return std::holds_alternative<Settled>(send(node, complete));
  }

  Backend& here_ = *backend_;
  const std::unique_ptr<Backend> elsewhere_ = open();
  Backend& there_ = *elsewhere_;
};

TEST_F(RedisCachedJobs, SettleJobsThatAnotherNodeClaimed) {
  enqueue_many();
  const std::vector<Lease> leases = lease_at(there_, many);
  ASSERT_EQ(leases.size(), std::size_t{many});
  for (const Lease& lease : leases) EXPECT_TRUE(completes(here_, lease));
  EXPECT_TRUE(findings().empty());
}

TEST_F(RedisCachedJobs, AreNotUsedForALeaseThatAnotherNodeEnded) {
  enqueue();
  const Lease old = lease_at(here_, 1).at(0);
  clock_.advance(Duration::hours(1));
  send(there_, Reap{});
  clock_.advance(Duration::hours(1));
  send(there_, Due{});
  const Lease fresh = lease_at(there_, 1).at(0);
  ASSERT_EQ(fresh.job, old.job);
  EXPECT_FALSE(completes(here_, old));
  EXPECT_TRUE(completes(here_, fresh));
  EXPECT_TRUE(findings().empty());
}

TEST_F(RedisCachedJobs, LeaseNoJobThatAnotherNodeCanceled) {
  const std::vector<JobId> jobs = enqueue_many();
  std::map<JobId, std::string> left;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (i % 3 == 0) send(there_, Cancel{.ns = "default", .job = jobs[i], .actor = {}});
    if (i % 3 != 0) left[jobs[i]] = "{\"number\":" + std::to_string(i) + "}";
  }
  std::map<JobId, std::string> given;
  for (const Lease& lease : lease_at(here_, many)) given[lease.job] = lease.body.payload;
  for (const Lease& lease : lease_at(here_, many)) given[lease.job] = lease.body.payload;
  EXPECT_EQ(given, left);
  EXPECT_TRUE(findings().empty());
}

// All fields of a job are leased with it.
TEST_F(RedisCachedJobs, LeaseAllFieldsOfAJob) {
  NewJob job = new_job(1);
  job.body.tags = {"red"};
  job.body.metadata = R"({"from":"here"})";
  enqueue(job);
  enqueue_many();
  const std::vector<Lease> leases = lease_at(here_, many + 1);
  ASSERT_EQ(leases.size(), std::size_t{many + 1});
  EXPECT_EQ(leases.front().body.payload, job.body.payload);
  EXPECT_EQ(leases.front().body.metadata, job.body.metadata);
  EXPECT_EQ(leases.front().body.tags, job.body.tags);
}

// A node that uses cached data must not write an earlier time than another node did.
TEST_F(RedisCachedJobs, WriteNoEarlierTimeThanAnotherNode) {
  enqueue();
  ManualClock ahead(start + Duration::seconds(10));
  auto opened = open_redis({.url = url_, .alarm = {}, .clock = &ahead}, Rules());
  ASSERT_TRUE(opened.ok());
  const NewJob first = new_job(1);
  send(**opened, Enqueue{.ns = "default", .jobs = {first}});
  const JobId second = enqueue(new_job(2));
  const auto before = here_.catalog().get("default", first.id);
  const auto after = here_.catalog().get("default", second);
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_EQ(before->job.created_at, ahead.now());
  EXPECT_EQ(after->job.created_at, before->job.created_at);
  EXPECT_TRUE(findings().empty());
}

// Each job ends once, on any node, and a token that was given up is refused by both.
TEST_F(RedisCachedJobs, SupportTwoNodesThatAlternateAtRandom) {
  std::map<JobId, Lease> running;
  std::vector<Lease> given_up;
  int brought = 0, ended = 0;
  const auto any_node = [&]() -> Backend& { return random_.chance(0.5) ? here_ : there_; };
  for (int step = 0; step < 1500; ++step) {
    Backend& node = any_node();
    const auto choice = random_.below(5);
    if (choice == 0) {
      for (int i = 0; i < 5; ++i) {
        send(node, Enqueue{.ns = "default", .jobs = {new_job(++brought)}});
      }
    } else if (choice == 1) {
      const int limit = random_.chance(0.2) ? many : 3;
      for (Lease& lease : lease_at(node, limit)) {
        ASSERT_TRUE(running.emplace(lease.job, lease).second) << "step " << step;
      }
    } else if (choice == 2 && !running.empty()) {
      const Lease lease = running.extract(running.begin()).mapped();
      const Command release = Release{.ns = "default", .job = lease.job, .token = lease.token};
      ASSERT_TRUE(std::holds_alternative<Settled>(send(node, release))) << "step " << step;
      given_up.push_back(lease);
    } else if (choice == 3 && !given_up.empty()) {
      const Lease& lease = given_up[random_.below(given_up.size())];
      ASSERT_FALSE(completes(node, lease)) << "step " << step;
    } else if (!running.empty()) {
      const auto some =
          std::next(running.begin(), static_cast<std::ptrdiff_t>(random_.below(running.size())));
      ASSERT_TRUE(completes(node, some->second)) << "step " << step;
      running.erase(some);
      ++ended;
    }
  }
  for (const auto& [job, lease] : running) ended += completes(any_node(), lease) ? 1 : 0;
  for (const Lease& lease : lease_at(any_node(), 1000)) ended += completes(here_, lease) ? 1 : 0;
  EXPECT_EQ(ended, brought);
  EXPECT_TRUE(findings().empty());
}

}  // namespace
}  // namespace longshore::redis_test
