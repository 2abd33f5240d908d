#include "api/queues/queue_json.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "unit/api/sample_job.h"

namespace longshore {
namespace {

namespace json = boost::json;

TEST(Queues, ShowDepthAgeRatesAndPause) {
  const std::vector<QueueView> queues = {{.queue = "mail",
                                          .depth = {{State::queued, 4}, {State::dead, 1}},
                                          .oldest_queued = sample_time - Duration::millis(2500),
                                          .paused = true,
                                          .max_running = 7},
                                         {.queue = "quiet"}};
  const json::value shown =
      json::parse(queues_json(queues, {{"mail", {.enqueued = 1.5}}}, sample_time, std::nullopt));
  const json::value& mail = shown.at("queues").at(0);
  EXPECT_EQ(mail.at("queue"), "mail");
  EXPECT_EQ(mail.at("paused"), true);
  EXPECT_EQ(mail.at("maxRunning"), 7);
  EXPECT_EQ(mail.at("oldestAgeSeconds"), 2.5);
  EXPECT_EQ(mail.at("depth"), json::parse(R"({"CREATED": 0, "SCHEDULED": 0, "QUEUED": 4,
      "RUNNING": 0, "WAITING": 0, "RETRY": 0, "SUCCESS": 0, "DEAD": 1, "CANCELED": 0})"));
  EXPECT_EQ(mail.at("rates").at("enqueuedPerSecond"), 1.5);
  EXPECT_TRUE(shown.at("nextCursor").is_null());
  const json::value& quiet = shown.at("queues").at(1);
  EXPECT_TRUE(quiet.at("oldestAgeSeconds").is_null());
  EXPECT_TRUE(quiet.at("maxRunning").is_null());
}

TEST(Queues, ContinueAtTheCursorsName) {
  for (const std::string name : {"mail", "\xc3\xa4/b", "a b"}) {
    EXPECT_EQ(parse_queue_cursor(queue_cursor(name)), name);
  }
  for (const char* bad : {"", "mail", "q6", "q6g", "q6D"}) {
    EXPECT_FALSE(parse_queue_cursor(bad)) << bad;
  }
}

}  // namespace
}  // namespace longshore
