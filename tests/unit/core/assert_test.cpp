#include "core/assert.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

TEST(Assert, LetsATrueConditionPass) {
  LONGSHORE_ASSERT(1 + 1 == 2);
  LONGSHORE_ASSERT(1 + 1 == 2, "arithmetic works");
}

TEST(Assert, EvaluatesItsConditionOnce) {
  int evaluations = 0;
  LONGSHORE_ASSERT(++evaluations > 0);
  EXPECT_EQ(evaluations, 1);
}

TEST(AssertDeathTest, AbortsNamingPlaceConditionAndReason) {
  EXPECT_EXIT(LONGSHORE_ASSERT(2 < 1, "order is kept"), testing::KilledBySignal(SIGABRT),
              "tests/unit/core/assert_test.cpp:[0-9]+: assertion failed: 2 < 1: order is kept");
}

TEST(AssertDeathTest, NeedsNoReason) {
  EXPECT_EXIT(LONGSHORE_ASSERT(2 < 1), testing::KilledBySignal(SIGABRT),
              "assertion failed: 2 < 1\n");
}

}  // namespace
}  // namespace longshore
