#include "core/rules/backoff.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>

#include "core/ids/uuid.h"

namespace longshore {
namespace {

constexpr JobId some_job{0x019B'0000'0000'7000, 0x8000'0000'00AB'CDEF};

Backoff without_jitter() {
  Backoff backoff;
  backoff.jitter = 0;
  return backoff;
}

TEST(Backoff, DoublesAfterEachFailureUpToTheCap) {
  struct Case {
    int failures;
    int seconds;
  };
  for (const Case& c : {Case{1, 2},
                        {2, 4},
                        {3, 8},
                        {4, 16},
                        {5, 32},
                        {11, 2048},
                        {12, 3600},
                        {13, 3600},
                        {101, 3600}}) {
    SCOPED_TRACE(c.failures);
    EXPECT_EQ(backoff_delay(without_jitter(), c.failures, some_job), Duration::seconds(c.seconds));
  }
}

TEST(Backoff, SpreadsByATenthToEitherSideAndNoFurther) {
  SeededRandom random(1);
  JobIds ids(random);
  bool shorter = false;
  bool longer = false;
  for (int i = 0; i < 10'000; ++i) {
    const int failures = 1 + i % 11;
    const double nominal = 2 * static_cast<double>(1 << (failures - 1));
    const double wait =
        backoff_delay(Backoff(), failures, ids.next(Instant::millis(i))).in_seconds();
    ASSERT_GE(wait, nominal * 0.9 - 0.001);
    ASSERT_LE(wait, nominal * 1.1 + 0.001);
    shorter |= wait < nominal * 0.91;
    longer |= wait > nominal * 1.09;
  }
  EXPECT_TRUE(shorter && longer) << "the whole width is used";
}

TEST(Backoff, CapsBeforeItSpreads) {
  SeededRandom random(2);
  JobIds ids(random);
  Duration longest;
  Duration shortest = Duration::forever();
  for (int i = 0; i < 1000; ++i) {
    const Duration wait = backoff_delay(Backoff(), 20, ids.next(Instant::millis(i)));
    longest = std::max(longest, wait);
    shortest = std::min(shortest, wait);
  }
  EXPECT_GT(longest, Duration::seconds(3900));
  EXPECT_LE(longest, Duration::seconds(3960));
  EXPECT_LT(shortest, Duration::seconds(3300));
  EXPECT_GE(shortest, Duration::seconds(3240));
}

TEST(Backoff, StaysTheSameWhenItIsFixed) {
  Backoff fixed = without_jitter();
  fixed.kind = Backoff::Kind::fixed;
  fixed.base = Duration::seconds(7);
  for (int failures : {1, 2, 3, 50}) {
    EXPECT_EQ(backoff_delay(fixed, failures, some_job), Duration::seconds(7));
  }
}

TEST(Backoff, IsNothingWhenThereIsNone) {
  Backoff none;
  none.kind = Backoff::Kind::none;
  for (int failures : {1, 2, 3, 50}) EXPECT_EQ(backoff_delay(none, failures, some_job), Duration());
}

TEST(Backoff, GoesOnDoublingWithoutACap) {
  Backoff backoff = without_jitter();
  backoff.max.reset();
  EXPECT_EQ(backoff_delay(backoff, 20, some_job), Duration::seconds(1 << 20));
}

TEST(Backoff, NeverOverflowsHoweverManyFailures) {
  for (Duration base : {Duration(), Duration::millis(1), Duration::days(30)}) {
    for (double jitter : {0.0, 0.1, 1.0}) {
      for (bool capped : {true, false}) {
        for (int failures :
             {-5, 0, 1, 62, 63, 64, 65, 1000, 2000, std::numeric_limits<int>::max()}) {
          Backoff backoff{.base = base, .jitter = jitter};
          if (!capped) backoff.max.reset();
          const Duration wait = backoff_delay(backoff, failures, some_job);
          EXPECT_GE(wait, Duration());
          EXPECT_LE(wait, Duration::days(201 * 365));
          if (base == Duration()) {
            EXPECT_EQ(wait, Duration());
          }
        }
      }
    }
  }
}

TEST(Backoff, CountsNoFailureAsTheFirst) {
  EXPECT_EQ(backoff_delay(without_jitter(), 0, some_job), Duration::seconds(2));
}

TEST(Backoff, IsTheSameForTheSameJobAndFailure) {
  EXPECT_EQ(backoff_delay(Backoff(), 3, some_job), backoff_delay(Backoff(), 3, some_job));
}

// Jobs that failed together must not come back together.
TEST(Backoff, SpreadsJobsEvenly) {
  SeededRandom random(3);
  JobIds ids(random);
  for (int failures : {1, 2, 7}) {
    SCOPED_TRACE(failures);
    std::array<int, 10> buckets{};
    Backoff backoff{.kind = Backoff::Kind::fixed, .base = Duration::seconds(1000)};
    for (int i = 0; i < 10'000; ++i) {
      const Duration wait = backoff_delay(backoff, failures, ids.next(Instant::millis(5)));
      const auto bucket = static_cast<std::size_t>((wait.count() - 900'000) / 20'000);
      buckets[std::min<std::size_t>(bucket, 9)] += 1;
    }
    for (int count : buckets) {
      EXPECT_GT(count, 850);
      EXPECT_LT(count, 1150);
    }
  }
}

TEST(Backoff, SpreadsOneJobDifferentlyEachTime) {
  Backoff backoff{.kind = Backoff::Kind::fixed, .base = Duration::seconds(1000)};
  for (int failures = 1; failures < 20; ++failures) {
    EXPECT_NE(backoff_delay(backoff, failures, some_job),
              backoff_delay(backoff, failures + 1, some_job));
  }
}

}  // namespace
}  // namespace longshore
