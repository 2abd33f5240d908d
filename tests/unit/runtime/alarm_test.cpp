#include "runtime/alarm.h"

#include <gtest/gtest.h>

#include <thread>

namespace longshore {
namespace {

const Instant start = Instant::millis(1'000'000);

TEST(Alarm, WakesAWaitThatComesAfterTheRing) {
  ManualTime time(start);
  Alarm alarm(time);
  alarm.wake();
  alarm.wait();
}

TEST(Alarm, WakesAWaitThatCameBefore) {
  ManualTime time(start);
  Alarm alarm(time);
  std::thread waiting([&] { alarm.wait(); });
  alarm.wake();
  waiting.join();
}

TEST(Alarm, RingsByItselfWhenTheTimeHasCome) {
  ManualTime time(start);
  Alarm alarm(time);
  std::thread waiting([&] {
    while (time.now() < start + Duration::seconds(5))
      alarm.wait_until(start + Duration::seconds(5));
  });
  time.advance(Duration::seconds(2));
  time.advance(Duration::seconds(3));
  waiting.join();
}

TEST(Alarm, RingsByTheMachinesClock) {
  SystemTime time;
  Alarm alarm(time);
  const Instant before = time.now();
  while (time.now() < before + Duration::millis(5)) alarm.wait_until(before + Duration::millis(5));
  EXPECT_GE(time.now(), before + Duration::millis(5));
}

TEST(Alarm, NeverHoldsAnybodyBackOnceItRingsForEver) {
  ManualTime time(start);
  Alarm alarm(time);
  alarm.wake_forever();
  alarm.wake_forever();
  for (int i = 0; i < 3; ++i) alarm.wait();
}

}  // namespace
}  // namespace longshore
