#include "runtime/signal.h"

#include <gtest/gtest.h>

#include <thread>

namespace longshore {
namespace {

TEST(Signal, CountsSignalsThatNobodyWaitedForAsOne) {
  Signal signal;
  signal.set();
  signal.set();
  signal.wait();
  signal.wait_for(Duration::millis(1));  // would return at once if the second counted
  signal.set();
  signal.wait();
}

TEST(Signal, HandsOverWhatWasWrittenBefore) {
  constexpr int rounds = 10'000;
  Signal there;
  Signal back;
  int ball = 0;  // guarded by the two signals alone
  std::jthread other([&] {
    for (int i = 0; i < rounds; ++i) {
      there.wait();
      ball += 1;
      back.set();
    }
  });
  for (int i = 0; i < rounds; ++i) {
    ball += 1;
    there.set();
    back.wait();
  }
  EXPECT_EQ(ball, 2 * rounds);
}

TEST(Signal, GivesUpWhenNothingComes) {
  Signal signal;
  signal.wait_for(Duration());
  signal.wait_for(Duration::millis(1));
}

}  // namespace
}  // namespace longshore
