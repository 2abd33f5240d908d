#include "api/queues/views_json.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/server/check_json.h"
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

TEST(Workers, ShowSlotsJobsAndWhenTheyWereSeen) {
  const std::vector<WorkerView> workers = {
      {.info = {.worker = "w1", .queues = {"a", "b"}, .types = {"T"}, .slots = 3, .host = "h"},
       .seen_at = sample_time,
       .jobs = {sample_id(1)}},
      {.info = {.worker = "w2"}}};
  const json::value shown = json::parse(workers_json(workers));
  EXPECT_EQ(shown.at("workers").at(0),
            json::parse(R"({"workerId": "w1", "queues": ["a", "b"], "jobTypes": ["T"], "slots": 3,
                            "host": "h", "version": null,
                            "lastSeenAt": "2026-11-15T02:00:00.000Z",
                            "jobs": ["019a0000-0000-7000-8000-000000000001"]})"));
  EXPECT_TRUE(shown.at("workers").at(1).at("jobTypes").is_null());
}

TEST(Errors, SayWhatTheyHaveInCommonAndWhatBecameOfTheirJobs) {
  const ErrorGroup group{.type = "A",
                         .fingerprint = 255,
                         .count = 2,
                         .first_at = sample_time,
                         .last_at = sample_time,
                         .sample = sample_id(1),
                         .code = "X",
                         .message = "m"};
  const GroupJobs jobs{.dead = 3, .retrying = 2, .recovered = 1, .more = true};
  const json::value shown =
      json::parse(error_page_json({.groups = {group}, .jobs = {jobs}, .next = {}}));
  EXPECT_TRUE(shown.at("nextCursor").is_null());
  EXPECT_EQ(shown.at("errors").at(0),
            json::parse(R"({"jobType": "A", "fingerprint": "00000000000000ff", "count": 2,
                            "first": "2026-11-15T02:00:00.000Z", "last": "2026-11-15T02:00:00.000Z",
                            "sample": "019a0000-0000-7000-8000-000000000001", "code": "X",
                            "message": "m", "dead": 3, "retrying": 2, "recovered": 1,
                            "more": true})"));
}

TEST(Errors, HaveCursorsThatComeBack) {
  const GroupPlace place{sample_time, 0xFFFF'FFFF'0000'0001};
  EXPECT_EQ(parse_group_cursor(cursor_text(place)), place);
  for (const char* bad : {"", "g", "a00", "g0", "gxx"})
    EXPECT_FALSE(parse_group_cursor(bad)) << bad;
}

TEST(AuditTrail, SaysWhoDidWhat) {
  const AuditEntry entry{.number = 7,
                         .at = sample_time,
                         .ns = "default",
                         .actor = {.name = "ada", .request_id = "r"},
                         .action = "pause",
                         .target = "q"};
  EXPECT_EQ(audit_trail_json({entry}, false),
            R"({"audit":[{"at":"2026-11-15T02:00:00.000Z","actor":"ada","requestId":"r",)"
            R"("action":"pause","target":"q"}],"nextCursor":null})");
  EXPECT_EQ(audit_trail_json({}, false), R"({"audit":[],"nextCursor":null})");
  const json::value more = json::parse(audit_trail_json({entry}, true));
  EXPECT_EQ(parse_audit_cursor(more.at("nextCursor").as_string()), 7);
  for (const char* bad : {"", "n", "7", "nseven"}) EXPECT_FALSE(parse_audit_cursor(bad)) << bad;
}

TEST(Queues, GoOnWithTheNameThatTheCursorHolds) {
  for (const std::string name : {"mail", "\xc3\xa4/b", "a b"}) {
    EXPECT_EQ(parse_queue_cursor(queue_cursor(name)), name);
  }
  for (const char* bad : {"", "mail", "q6", "q6g", "q6D"}) {
    EXPECT_FALSE(parse_queue_cursor(bad)) << bad;
  }
}

TEST(Audits, NameJobsOnlyToThoseWhoMaySeeThem) {
  const Audit audit{.jobs_checked = 4, .findings = {{.rule = "r", .what = "job 1"}}};
  const CheckReport report{.outcome = audit, .began = sample_time, .ended = sample_time};
  const json::value full = json::parse(check_report_json(report, true));
  EXPECT_EQ(full.at("findings"), json::parse(R"([{"rule":"r","what":"job 1"}])"));
  EXPECT_EQ(full.at("sound"), false);
  EXPECT_EQ(full.at("jobsChecked"), 4);
  const json::value part = json::parse(check_report_json(report, false));
  EXPECT_EQ(part.at("findings"), json::parse(R"([{"rule":"r"}])"));
}

TEST(Tokens, NeverShowTheirHash) {
  JsonOut out;
  write_token(out, {.id = "i", .ns = "n", .name = "m", .role = "viewer", .hash = "secret"});
  const std::string shown = out.take();
  EXPECT_FALSE(shown.contains("secret"));
  EXPECT_EQ(json::parse(shown).at("namespace"), "n");
  EXPECT_TRUE(json::parse(shown).at("lastUsedAt").is_null());
}

class StatsTest : public ::testing::Test {
 protected:
  json::value stats(StatsQuestion question) {
    question.name = "1h";
    question.window = Duration::hours(1);
    return json::parse(stats_json(question, rows, now));
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

TEST_F(StatsTest, AreOfOneQueueOrTypeIfAsked) {
  EXPECT_EQ(stats({.queue = "a"}).at("totals").at("enqueued"), 3);
  EXPECT_EQ(stats({.type = "U"}).at("totals").at("enqueued"), 0);
  EXPECT_EQ(stats({.queue = "none"}).at("queues").as_array().size(), 0U);
}

}  // namespace
}  // namespace longshore
