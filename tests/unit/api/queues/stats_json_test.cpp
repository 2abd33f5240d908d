#include "api/queues/stats_json.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "unit/api/sample_job.h"

namespace longshore {
namespace {

namespace json = boost::json;

class StatsTest : public ::testing::Test {
 protected:
  json::value stats(StatsQuery query) {
    query.name = "1h";
    query.window = Duration::hours(1);
    return json::parse(stats_json(query, rows, now));
  }

  const Instant now = sample_time + Duration::seconds(30);
  const std::vector<MinuteRow> rows = {
      {.minute = sample_time, .queue = "a", .type = "T", .enqueued = 3, .succeeded = 1},
      {.minute = sample_time, .queue = "b", .type = "T", .enqueued = 2, .wait_millis = 9},
      {.minute = sample_time - Duration::minutes(59), .queue = "a", .type = "U", .dead = 1},
      {.minute = sample_time - Duration::minutes(60), .queue = "a", .type = "U", .dead = 50}};
};

TEST_F(StatsTest, HaveAnEntryForEveryMinuteOfTheWindow) {
  const json::value shown = stats({});
  const json::array& minutes = shown.at("minutes").as_array();
  ASSERT_EQ(minutes.size(), 60U);
  EXPECT_EQ(minutes.front().at("minute"), "2026-11-15T01:01:00.000Z");
  EXPECT_EQ(minutes.front().at("dead"), 1);
  EXPECT_EQ(minutes.back().at("minute"), "2026-11-15T02:00:00.000Z");
  EXPECT_EQ(minutes.back().at("enqueued"), 5);
  EXPECT_EQ(minutes[30].at("enqueued"), 0);
  EXPECT_EQ(shown.at("totals").at("dead"), 1);
  EXPECT_EQ(shown.at("totals").at("waitMillis"), 9);
  EXPECT_EQ(shown.at("queues").at(0).at("queue"), "a");
  EXPECT_EQ(shown.at("jobTypes").at(0).at("jobType"), "T");
  EXPECT_EQ(shown.at("jobTypes").at(0).at("enqueued"), 5);
}

TEST_F(StatsTest, GiveEveryTypeItsWindowInTwentyFourParts) {
  const json::value shown = stats({});
  const json::value& type = shown.at("jobTypes").at(0).at("series");
  ASSERT_EQ(type.at("enqueued").as_array().size(), 24U);
  EXPECT_EQ(type.at("enqueued").at(23), 5);
  EXPECT_EQ(type.at("enqueued").at(22), 0);
  EXPECT_EQ(type.at("finished").at(23), 1);
  EXPECT_EQ(shown.at("jobTypes").at(1).at("series").at("finished").at(0), 1);
}

TEST_F(StatsTest, MayBeOfOneQueueOrType) {
  EXPECT_EQ(stats({.queue = "a"}).at("totals").at("enqueued"), 3);
  EXPECT_EQ(stats({.type = "U"}).at("totals").at("enqueued"), 0);
  EXPECT_EQ(stats({.queue = "none"}).at("queues").as_array().size(), 0U);
}

}  // namespace
}  // namespace longshore
