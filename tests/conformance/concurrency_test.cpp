// Many threads at once: one owner per job, one job per key, one outcome.
#include <algorithm>
#include <atomic>
#include <set>
#include <thread>

#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

constexpr int thread_count = 4;

// Runs `work` on every thread at once; each gets its number.
template <class Work>
void at_once(Work work) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < thread_count; ++i) threads.emplace_back([=] { work(i); });
}

class StoreConcurrency : public StoreTest {
 protected:
  // Thread-safe, unlike the functions of the fixture.
  static Verdict commit(Store& store, const Command& command) {
    auto committed = store.commit({&command, 1});
    EXPECT_TRUE(committed.ok());
    return committed ? committed->verdicts.at(0) : Verdict(Refusal{.code = Code::internal});
  }
};
INSTANTIATE_TEST_SUITE_P(, StoreConcurrency, every_store(), store_name);

TEST_P(StoreConcurrency, GivesEveryJobToOneClaimOnly) {
  std::vector<NewJob> jobs(200, with_defaults({}));
  for (NewJob& job : jobs) job.id = new_id();
  try_enqueue(jobs);
  Store& shared = store();
  std::vector<std::vector<JobId>> taken(thread_count);
  at_once([&](int me) {
    SeededRandom random(static_cast<std::uint64_t>(me) + 1);
    for (;;) {
      const auto leased = as<Leased>(commit(shared, Claim{.id = random_id<RequestId>(random),
                                                          .ns = "default",
                                                          .worker = "w" + std::to_string(me),
                                                          .limit = 3}));
      if (leased.leases.empty()) return;
      for (const Lease& lease : leased.leases) {
        taken[static_cast<std::size_t>(me)].push_back(lease.job);
      }
    }
  });
  std::multiset<JobId> all;
  for (const auto& some : taken) all.insert(some.begin(), some.end());
  EXPECT_EQ(all.size(), 200u);
  EXPECT_EQ(std::set<JobId>(all.begin(), all.end()).size(), 200u);
}

TEST_P(StoreConcurrency, MakesOneJobPerIdempotencyKey) {
  std::vector<std::vector<NewJob>> wanted(thread_count);
  for (auto& mine : wanted) {
    for (int i = 0; i < 50; ++i) {
      mine.push_back(with_defaults({.idempotency_key = "key-" + std::to_string(i)}));
    }
  }
  Store& shared = store();
  std::vector<std::vector<JobId>> answered(thread_count);
  at_once([&](int me) {
    const auto index = static_cast<std::size_t>(me);
    for (const NewJob& job : wanted[index]) {
      const auto answer = as<Enqueued>(commit(shared, Enqueue{.ns = "default", .jobs = {job}}));
      answered[index].push_back(answer.jobs.at(0).id);
    }
  });
  for (const auto& mine : answered) EXPECT_EQ(mine, answered[0]);
  EXPECT_EQ(dump().size(), 50u);
}

TEST_P(StoreConcurrency, MakesOneLiveJobPerJobKey) {
  std::vector<NewJob> wanted;
  for (int i = 0; i < thread_count; ++i) {
    wanted.push_back(with_defaults({.job_key = "k", .on_conflict = OnConflict::reject}));
  }
  Store& shared = store();
  std::atomic<int> made = 0;
  at_once([&](int me) {
    const Verdict verdict =
        commit(shared, Enqueue{.ns = "default", .jobs = {wanted[static_cast<std::size_t>(me)]}});
    if (std::holds_alternative<Enqueued>(verdict)) ++made;
  });
  EXPECT_EQ(made, 1);
  EXPECT_EQ(dump().size(), 1u);
}

TEST_P(StoreConcurrency, AcceptsOneOutcomeOnly) {
  for (int round = 0; round < 20; ++round) {
    const Lease lease = running();
    Store& shared = store();
    std::atomic<int> accepted = 0;
    at_once([&](int me) {
      const Verdict verdict = commit(shared, Complete{.ns = "default",
                                                      .job = lease.job,
                                                      .token = lease.token,
                                                      .result = std::to_string(me)});
      if (std::holds_alternative<Settled>(verdict)) ++accepted;
    });
    EXPECT_EQ(accepted, 1);
  }
}

TEST_P(StoreConcurrency, KeepsWithinALimitHoweverManyClaim) {
  send(Configure{.queues = {{.ns = "default", .queue = "default", .max_running = 3}}});
  for (int i = 0; i < 20; ++i) enqueue();
  Store& shared = store();
  std::atomic<int> taken = 0;
  at_once([&](int me) {
    SeededRandom random(static_cast<std::uint64_t>(me) + 77);
    for (int i = 0; i < 5; ++i) {
      const auto leased = as<Leased>(commit(
          shared,
          Claim{.id = random_id<RequestId>(random), .ns = "default", .worker = "w", .limit = 2}));
      taken += static_cast<int>(leased.leases.size());
    }
  });
  EXPECT_EQ(taken, 3);
}

TEST_P(StoreConcurrency, ReapsEachLostLeaseOnce) {
  for (int i = 0; i < 40; ++i) enqueue();
  claim({.limit = 40});
  advance(seconds(31));
  Store& shared = store();
  std::atomic<std::int64_t> reaped = 0;
  at_once([&](int) {
    for (;;) {
      const auto swept = as<Swept>(commit(shared, Reap{.limit = 7}));
      reaped += swept.count;
      if (swept.count == 0) return;
    }
  });
  EXPECT_EQ(reaped, 40);
  for (const JobRecord& each : dump()) EXPECT_EQ(each.job.crashes, 1);
}

TEST_P(StoreConcurrency, LetsReadersReadWhileWritersWrite) {
  std::vector<NewJob> wanted;
  for (int i = 0; i < 100; ++i) wanted.push_back(with_defaults({}));
  Store& shared = store();
  Catalog& reader = catalog();
  at_once([&](int me) {
    for (int i = 0; i < 100; ++i) {
      if (me == 0) {
        commit(shared, Enqueue{.ns = "default", .jobs = {wanted[static_cast<std::size_t>(i)]}});
      } else {
        const auto page = reader.list({.ns = "default", .limit = 5});
        EXPECT_TRUE(page.ok());
        EXPECT_TRUE(reader.queues("default").ok());
      }
    }
  });
  EXPECT_EQ(dump().size(), 100u);
}

}  // namespace
}  // namespace longshore::conformance
