#include "server/report/incident_episode.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

constexpr std::int64_t a_second = 1'000'000;
using Phase = Episode::Phase;

TEST(Episode, IsReportedAtItsBeginningAndThenOnceAMinuteWithACount) {
  Episode episode(Episode::Pace{});
  const auto first = episode.add(1, "one", 0);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->phase, Phase::begins);
  EXPECT_EQ(first->count, 1);
  for (int at = 1; at < 60; ++at) EXPECT_FALSE(episode.add(2, "more", at * a_second)) << at;
  const auto minute = episode.add(2, "latest", 60 * a_second);
  ASSERT_TRUE(minute);
  EXPECT_EQ(minute->phase, Phase::continues);
  EXPECT_EQ(minute->count, 120);
  EXPECT_EQ(minute->seconds, 60);
  EXPECT_EQ(minute->latest, "latest");
  EXPECT_EQ(episode.total(), 121);
}

TEST(Episode, EndsAfterAQuietPeriodWithTheTotalCount) {
  Episode episode(Episode::Pace{});
  episode.add(1, "one", 0);
  EXPECT_FALSE(episode.add(199, "the rest", 2 * a_second));
  EXPECT_FALSE(episode.look(31 * a_second));
  const auto end = episode.look(32 * a_second);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->phase, Phase::ends);
  EXPECT_EQ(end->count, 200);
  EXPECT_EQ(end->seconds, 2);
  EXPECT_FALSE(episode.under_way());
  EXPECT_FALSE(episode.look(100 * a_second));
  EXPECT_EQ(episode.add(1, "again", 101 * a_second)->phase, Phase::begins);
}

TEST(Episode, ContinuesUntilItMayEnd) {
  Episode episode(Episode::Pace{.repeat = 60 * a_second, .quiet = 3 * a_second});
  episode.add(1, "down", 0);
  EXPECT_FALSE(episode.look(10 * a_second, false));
  const auto still = episode.look(60 * a_second, false);
  ASSERT_TRUE(still);
  EXPECT_EQ(still->phase, Phase::continues);
  EXPECT_EQ(still->count, 0);
  EXPECT_EQ(episode.look(61 * a_second, true)->phase, Phase::ends);
}

TEST(Episode, ReportsTheRestAtShutdown) {
  Episode episode(Episode::Pace{});
  EXPECT_FALSE(episode.final_report(0));
  episode.add(1, "one", 0);
  EXPECT_FALSE(episode.final_report(1)) << "already reported";
  episode.add(5, "more", 2);
  EXPECT_EQ(episode.final_report(3)->count, 5);
}

}  // namespace
}  // namespace longshore
