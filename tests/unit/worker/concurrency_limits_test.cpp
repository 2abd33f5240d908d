#include "worker/concurrency_limits.h"

#include <gtest/gtest.h>

#include <thread>

namespace longshore {
namespace {

using Names = std::vector<std::string>;

TEST(ConcurrencyLimits, ClaimEverythingWithoutLimits) {
  ConcurrencyLimits limits({{"a"}, {"b"}}, {{"T"}, {"U"}});
  for (int i = 0; i < 100; ++i) {
    const ConcurrencyLimits::ClaimScopeRef scope = limits.try_claim({});
    EXPECT_EQ(scope->queues, (Names{"a", "b"}));
    EXPECT_EQ(scope->types, (Names{"T", "U"}));
  }
}

TEST(ConcurrencyLimits, ClaimALimitedTypeOnlyUpToItsLimit) {
  ConcurrencyLimits limits({{"q"}}, {{"T", 2}, {"U"}});
  EXPECT_EQ(limits.try_claim({})->types, (Names{"T", "U"}));
  EXPECT_EQ(limits.try_claim({})->types, (Names{"T", "U"}));
  EXPECT_EQ(limits.try_claim({})->types, (Names{"U"}));
}

TEST(ConcurrencyLimits, ClaimNothingWhenEveryTypeOrQueueIsAtItsLimit) {
  ConcurrencyLimits by_type({{"q"}}, {{"T", 1}});
  ASSERT_TRUE(by_type.try_claim({}));
  EXPECT_FALSE(by_type.try_claim({}));
  ConcurrencyLimits by_queue({{"q", 1}}, {{"T"}});
  ASSERT_TRUE(by_queue.try_claim({}));
  EXPECT_FALSE(by_queue.try_claim({}));
}

TEST(ConcurrencyLimits, KeepTheReservationOfARunningJobAndReleaseTheOthers) {
  ConcurrencyLimits limits({{"a", 1}, {"b", 1}}, {{"T"}});
  const ConcurrencyLimits::Reservation reservation = limits.assign(limits.try_claim({}), "b", "T");
  EXPECT_EQ(limits.try_claim({})->queues, (Names{"a"}));
  EXPECT_FALSE(limits.try_claim({}));
  EXPECT_EQ(limits.try_claim(reservation)->queues, (Names{"b"}));
}

TEST(ConcurrencyLimits, LetASlotTakeAnotherJobOfTheSameKind) {
  ConcurrencyLimits limits({{"q"}}, {{"T", 1}, {"U"}});
  const ConcurrencyLimits::ClaimScopeRef other = [&] {
    const ConcurrencyLimits::ClaimScopeRef first = limits.try_claim({});
    const ConcurrencyLimits::ClaimScopeRef second = limits.try_claim({});
    const ConcurrencyLimits::Reservation reservation = limits.assign(first, "q", "T");
    EXPECT_EQ(limits.try_claim(reservation)->types, (Names{"T", "U"}));
    return second;
  }();
  EXPECT_FALSE(other->stop.stop_requested());
}

TEST(ConcurrencyLimits, InterruptOneClaimThatCouldIncludeTheFreedType) {
  ConcurrencyLimits limits({{"q"}}, {{"T", 1}, {"U"}});
  const ConcurrencyLimits::ClaimScopeRef first = limits.try_claim({});
  const ConcurrencyLimits::ClaimScopeRef second = limits.try_claim({});
  const ConcurrencyLimits::ClaimScopeRef third = limits.try_claim({});
  limits.assign(first, "q", "U");  // no claim includes T now
  EXPECT_NE(second->stop.stop_requested(), third->stop.stop_requested());
  const ConcurrencyLimits::ClaimScopeRef interrupted =
      second->stop.stop_requested() ? second : third;
  EXPECT_EQ(limits.try_claim(limits.abandon(interrupted))->types, (Names{"T", "U"}));
}

TEST(ConcurrencyLimits, WakeOneSlotThatWaitsForAnyCapacity) {
  ConcurrencyLimits limits({{"q"}}, {{"T", 1}});
  const ConcurrencyLimits::ClaimScopeRef first = limits.try_claim({});
  ConcurrencyLimits::ClaimScopeRef second;
  std::thread waiting([&] { second = limits.wait_claim(); });
  limits.release(limits.abandon(first));
  waiting.join();
  EXPECT_EQ(second->types, (Names{"T"}));
}

TEST(ConcurrencyLimits, InterruptEveryClaimWhenStopped) {
  ConcurrencyLimits limits({{"q"}}, {{"T", 1}});
  const ConcurrencyLimits::ClaimScopeRef claiming = limits.try_claim({});
  std::thread waiting([&] { EXPECT_FALSE(limits.wait_claim()); });
  limits.stop();
  limits.stop();
  waiting.join();
  EXPECT_TRUE(claiming->stop.stop_requested());
  EXPECT_FALSE(limits.try_claim({}));
}

}  // namespace
}  // namespace longshore
