#include "engine/running_limits.h"

#include <algorithm>
#include <functional>

#include "unit/engine/stepped_engine.h"

namespace longshore {
namespace {

TEST(RunningLimits, AreThoseOfRulesThatLimitSomething) {
  Configure rules;
  rules.queues = {{.ns = "a", .queue = "narrow", .max_running = 2},
                  {.ns = "a", .queue = "wide", .keep_dead = Duration::days(1)}};
  rules.types = {{.ns = "b", .type = "slow", .max_running = 1}, {.ns = "b", .type = "quick"}};
  const RunningLimits limits(rules);
  EXPECT_FALSE(limits.empty());
  EXPECT_TRUE(limits.has_queue("a", "narrow"));
  EXPECT_FALSE(limits.has_queue("a", "wide"));
  EXPECT_FALSE(limits.has_queue("b", "narrow"));
  EXPECT_TRUE(limits.has_type("b", "slow"));
  EXPECT_FALSE(limits.has_type("b", "quick"));
  EXPECT_FALSE(limits.has_type("a", "slow"));
  EXPECT_TRUE(RunningLimits(Configure{}).empty());
}

// Nothing here ticks the engine once claims wait, so that only what happens can wake them.
class ClaimsHeldBack : public SteppedEngine {
 protected:
  static constexpr Duration hour = Duration::hours(1);

  void limit_queue(int most) {
    submit(Configure{.queues = {{.ns = "ns", .queue = "narrow", .max_running = most}}});
  }
  void limit_type(int most) {
    submit(Configure{.types = {{.ns = "ns", .type = "slow", .max_running = most}}});
  }
  Lease take(const std::string& queue = "narrow") {
    const BoxRef box = claim(new_claim(queue), Duration());
    commit_all();
    return box->lease();
  }
  BoxRef wait(const std::string& queue = "narrow") {
    const BoxRef box = claim(new_claim(queue), hour);
    commit_all();
    EXPECT_FALSE(box->came());
    return box;
  }
  void complete(const Lease& lease) {
    submit(Complete{.ns = "ns", .job = lease.job, .token = lease.token});
    commit_all();
  }
};

TEST_F(ClaimsHeldBack, StartWhenAJobOfTheirQueueStopsRunning) {
  const struct {
    std::string name;
    std::function<Command(const Lease&)> end;
  } cases[] = {
      {"completed",
       [](const Lease& held) {
         return Complete{.ns = "ns", .job = held.job, .token = held.token};
       }},
      {"failed",
       [](const Lease& held) {
         return Fail{.ns = "ns", .job = held.job, .token = held.token, .error = {.code = "E"}};
       }},
      {"released for later",
       [](const Lease& held) {
         return Release{.ns = "ns", .job = held.job, .token = held.token, .delay = hour};
       }},
      {"handed off",
       [](const Lease& held) {
         return HandOff{.ns = "ns", .job = held.job, .token = held.token, .timeout = hour};
       }},
      {"canceled by force",
       [](const Lease& held) { return Cancel{.ns = "ns", .job = held.job, .force = true}; }},
      {"lost by its worker",
       [this](const Lease&) {
         clock.advance(Duration::minutes(1));
         return Reap{};
       }},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    disk = {};
    restart({});
    limit_queue(1);
    enqueue(new_job("T", "narrow"));
    enqueue(new_job("T", "narrow"));
    const Lease held = take();
    const BoxRef next = wait();
    submit(c.end(held));
    commit_all();
    EXPECT_TRUE(next->came());
    if (next->came()) {
      EXPECT_NE(next->lease().job, held.job);
    }
  }
}

TEST_F(ClaimsHeldBack, StartInAnyQueueWhenAJobOfALimitedTypeStopsRunning) {
  limit_type(1);
  enqueue(new_job("slow", "one"));
  enqueue(new_job("slow", "two"));
  const Lease held = take("one");
  Claim picky = new_claim("two");
  picky.types = {{"other"}};
  const BoxRef of_another_type = claim(picky, hour);
  const BoxRef elsewhere = wait("three");
  const BoxRef next = wait("two");
  complete(held);
  EXPECT_EQ(next->leases(), 1U);
  EXPECT_FALSE(elsewhere->came());
  EXPECT_FALSE(of_another_type->came());
}

TEST_F(ClaimsHeldBack, AreTriedOldestFirstAndNoMoreOfThemThanSlotsCameFree) {
  limit_queue(2);
  for (int i = 0; i < 6; ++i) enqueue(new_job("T", "narrow"));
  const Lease one = take();
  const Lease two = take();
  const std::vector<BoxRef> waiting = {wait(), wait(), wait(), wait()};
  complete(one);
  EXPECT_EQ(waiting[0]->leases(), 1U);
  EXPECT_EQ(store->last.size(), 1U) << "the one who may start looks, and nobody else";
  submit(Complete{.ns = "ns", .job = two.job, .token = two.token});
  const Lease third = waiting[0]->lease();
  submit(Complete{.ns = "ns", .job = third.job, .token = third.token});
  commit_all();
  EXPECT_EQ(waiting[1]->leases(), 1U);
  EXPECT_EQ(waiting[2]->leases(), 1U);
  EXPECT_FALSE(waiting[3]->came());
  EXPECT_EQ(store->last.size(), 2U);
}

TEST_F(ClaimsHeldBack, UseASlotOfTheirQueueAndOneOfTheirTypeAtOnce) {
  submit(Configure{.queues = {{.ns = "ns", .queue = "narrow", .max_running = 1}},
                   .types = {{.ns = "ns", .type = "slow", .max_running = 1}}});
  for (int i = 0; i < 3; ++i) enqueue(new_job("slow", "narrow"));
  const Lease held = take();
  const BoxRef next = wait();
  wait();
  complete(held);
  EXPECT_EQ(next->leases(), 1U);
  EXPECT_EQ(store->last.size(), 1U);
}

TEST_F(ClaimsHeldBack, AreNotTriedWhereNothingIsLimited) {
  limit_queue(1);
  enqueue(new_job("T", "wide"));
  enqueue(new_job("T", "narrow"));
  const Lease held = take("wide");
  const BoxRef waiting = wait("wide");
  const int before = store->commits;
  complete(held);
  EXPECT_EQ(store->commits, before + 1) << "the completion, and no claim after it";
  EXPECT_FALSE(waiting->came());
}

TEST_F(ClaimsHeldBack, LookAgainIfTheSlotCameFreeWhileTheyLooked) {
  for (const bool by_queue : {true, false}) {
    SCOPED_TRACE(by_queue ? "a queue's limit" : "a type's limit");
    disk = {};
    restart({});
    by_queue ? limit_queue(1) : limit_type(1);
    enqueue(new_job("slow", "narrow"));
    enqueue(new_job("slow", "narrow"));
    const Lease held = take();
    const BoxRef next = claim(new_claim("narrow"), hour);
    // Another lane commits between the claim's verdict and its answer.
    store->afterwards = [&] {
      submit(Complete{.ns = "ns", .job = held.job, .token = held.token});
      engine->commit_once();
    };
    commit_all();
    ASSERT_TRUE(next->came());
    EXPECT_EQ(next->leases(), 1U);
  }
}

TEST_F(ClaimsHeldBack, WaitForTheNextLookWhenTheLimitWasTakenBack) {
  limit_queue(1);
  enqueue(new_job("T", "narrow"));
  const Lease held = take();
  wait();
  submit(Configure{});
  commit_all();
  const int before = store->commits;
  complete(held);
  EXPECT_EQ(store->commits, before + 1);
}

}  // namespace
}  // namespace longshore
