#include "store/sqlite/keys/recent_ids.h"

#include <gtest/gtest.h>

namespace longshore::sqlite {
namespace {

JobId id(std::uint64_t number) { return {.high = number, .low = 0}; }

TEST(RecentIds, AreSureOnlyOfWhatIsAboveTheFloor) {
  RecentIds recent(100);
  recent.start(id(50));
  EXPECT_FALSE(recent.is_new(id(50)));
  EXPECT_FALSE(recent.is_new(id(7))) << "nobody knows";
  EXPECT_TRUE(recent.is_new(id(51)));
  recent.add(id(51));
  EXPECT_FALSE(recent.is_new(id(51)));
  EXPECT_TRUE(recent.is_new(id(52)));
}

TEST(RecentIds, ForgetTheOldestAndNeverCallOneOfThemNew) {
  RecentIds recent(100);
  recent.start(JobId{});
  for (std::uint64_t i = 1; i <= 1000; ++i) recent.add(id(i * 2));
  for (std::uint64_t i = 1; i <= 1000; ++i) EXPECT_FALSE(recent.is_new(id(i * 2)));
  EXPECT_TRUE(recent.is_new(id(2001)));
  EXPECT_TRUE(recent.is_new(id(1999))) << "the newest are still known one by one";
  EXPECT_FALSE(recent.is_new(id(3)));
}

}  // namespace
}  // namespace longshore::sqlite
