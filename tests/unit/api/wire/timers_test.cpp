#include "api/wire/timers.h"

#include <gtest/gtest.h>

#include <future>

#include "deadline.h"

namespace longshore {
namespace {

class TimersTest : public ::testing::Test {
 protected:
  ManualTime time{Instant::millis(1000)};
  Timers timers{time};
};

TEST_F(TimersTest, RunsAtItsTime) {
  std::promise<void> first;
  std::promise<void> second;
  std::atomic<int> count = 0;
  timers.at(Instant::millis(3000), [&] {
    count += 1;
    second.set_value();
  });
  timers.at(Instant::millis(2000), [&] {
    count += 1;
    first.set_value();
  });
  time.advance(Duration::seconds(1));
  ASSERT_TRUE(comes(first.get_future()));
  EXPECT_EQ(count, 1);
  time.advance(Duration::seconds(1));
  ASSERT_TRUE(comes(second.get_future()));
  EXPECT_EQ(count, 2);
}

TEST_F(TimersTest, RunsAtOnceIfItsTimeHasPassed) {
  std::promise<void> acted;
  timers.at(Instant(), [&] { acted.set_value(); });
  ASSERT_TRUE(comes(acted.get_future()));
}

TEST_F(TimersTest, DoesNotRunAfterCancel) {
  std::promise<void> later;
  bool acted = false;
  const Timers::Ticket ticket = timers.at(Instant::millis(2000), [&] { acted = true; });
  EXPECT_TRUE(timers.cancel(ticket));
  EXPECT_FALSE(timers.cancel(ticket));
  timers.at(Instant::millis(2001), [&] { later.set_value(); });
  time.advance(Duration::seconds(2));
  ASSERT_TRUE(comes(later.get_future()));
  EXPECT_FALSE(acted);
}

TEST_F(TimersTest, DoesNothingAfterStop) {
  timers.stop();
  timers.stop();
  EXPECT_EQ(timers.at(Instant(), [] { FAIL(); }), 0U);
}

}  // namespace
}  // namespace longshore
