#include "server/report/incidents.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace longshore {
namespace {

constexpr std::int64_t second = 1'000'000;
constexpr std::int64_t start = 1'000 * second;

// Simulates incidents, and reads the log lines and metrics.
class IncidentsTest : public testing::Test {
 protected:
  IncidentsTest() { testing::internal::CaptureStderr(); }
  ~IncidentsTest() override { log(); }

  const std::string& log() {
    if (capturing_) log_text_ = testing::internal::GetCapturedStderr();
    capturing_ = false;
    return log_text_;
  }
  int lines(const std::string& text) {
    int count = 0;
    for (std::size_t at = log().find(text); at != std::string::npos; at = log().find(text, at + 1))
      ++count;
    return count;
  }
  std::string metrics(const StoreCondition& condition = {.durability = Durability::a}) const {
    MetricText text;
    incidents_.write_metrics(text, condition);
    return text.take();
  }
  bool counts(const std::string& sample) const {
    return metrics().find("\n" + sample + "\n") != std::string::npos;
  }
  // Calls look() five times a second, like the server.
  void look_until(std::int64_t end, bool commits = true) {
    for (; now_ <= end; now_ += second / 5) {
      if (commits) incidents_.store_answered(now_);
      incidents_.look(troubles_, now_);
    }
  }

  Log sink_{LogFormat::json, LogLevel::info};
  Incidents incidents_{sink_, Duration::seconds(60), start};
  HttpTroubles troubles_;
  std::int64_t now_ = start;

 private:
  bool capturing_ = true;
  std::string log_text_;
};

TEST_F(IncidentsTest, AnOutageIsLoggedAtItsBeginningOnceAMinuteAndAtItsEnd) {
  EXPECT_TRUE(counts("longshore_store_up 1"));
  for (int i = 0; i < 200; ++i) {
    incidents_.store_failed({Errc::unavailable, "db: connection refused"}, now_);
    look_until(now_, false);
  }
  EXPECT_TRUE(counts("longshore_store_up 0"));
  EXPECT_TRUE(counts("longshore_store_failures_total 200"));
  look_until(now_ + 5 * second);
  EXPECT_TRUE(counts("longshore_store_up 1"));
  EXPECT_EQ(lines("\"store unavailable\""), 1) << log();
  EXPECT_EQ(lines("\"store available again\",\"count\":200"), 1) << log();
}

TEST_F(IncidentsTest, AFlappingStoreHasOneOutage) {
  for (int i = 0; i < 40; ++i) {
    incidents_.store_failed({Errc::unavailable, "one primary is away"}, now_);
    look_until(now_ + second, true);
  }
  look_until(now_ + 5 * second);
  EXPECT_EQ(lines("store unavailable"), 1) << log();
  EXPECT_EQ(lines("store available again"), 1) << log();
}

TEST_F(IncidentsTest, AHangingStoreIsReported) {
  look_until(start + 9 * second, false);
  EXPECT_TRUE(counts("longshore_store_up 1"));
  look_until(start + 12 * second, false);
  EXPECT_TRUE(counts("longshore_store_up 0"));
  EXPECT_EQ(lines("no commit has ended for 10 s"), 1) << log();
}

TEST_F(IncidentsTest, AStoppedProcessDoesNotReportAnOutage) {
  look_until(start + second, false);
  now_ += 3600 * second;
  look_until(now_ + second, false);
  look_until(now_ + 5 * second, true);
  EXPECT_EQ(log(), "");
}

TEST_F(IncidentsTest, OverloadIsNotAnOutage) {
  incidents_.store_failed({Errc::overloaded, "retry"}, now_);
  EXPECT_TRUE(counts("longshore_store_up 1"));
  EXPECT_EQ(log(), "");
}

TEST_F(IncidentsTest, RejectedTokensAndThrottledRequestsAreCountedSeparately) {
  for (int i = 0; i < 200; ++i) {
    incidents_.answered({.method = "GET",
                         .path = "/queues",
                         .status = 401,
                         .code = "UNAUTHENTICATED",
                         .detail = "the token is not known here",
                         .peer = "192.0.2.7"});
  }
  incidents_.answered({.status = 429, .code = "OVERLOADED", .detail = "limits.polls"});
  incidents_.refused("OVERLOADED", "there are too many connections");
  incidents_.refused("BAD_REQUEST", "no request");
  incidents_.answered({.status = 200});
  EXPECT_TRUE(counts("longshore_tokens_refused_total 200"));
  EXPECT_TRUE(counts("longshore_requests_throttled_total 2"));
  EXPECT_EQ(lines("rejected requests without a valid token\",\"count\":1"), 1) << log();
  EXPECT_EQ(lines("GET /queues from 192.0.2.7: the token is not known here"), 1) << log();
  EXPECT_EQ(lines("throttled requests"), 1) << log();
}

TEST_F(IncidentsTest, FailuresToAcceptConnectionsAreReported) {
  troubles_ = {.accept_failures = 3, .accept_failure = "Too many open files"};
  look_until(now_ + second);
  troubles_.accept_failures = 50;
  look_until(now_ + 40 * second);
  EXPECT_TRUE(counts("longshore_accept_failures_total 50"));
  EXPECT_EQ(lines("cannot accept connections\",\"count\":3"), 1) << log();
  EXPECT_EQ(lines("accepting connections again\",\"count\":50"), 1) << log();
  EXPECT_EQ(lines("Too many open files"), 2) << log();
}

TEST_F(IncidentsTest, TheLogLevelOfAConditionDependsOnItsSeverity) {
  incidents_.condition_changed({.durability = Durability::b,
                                .trouble = "appendfsync is everysec",
                                .where = "db:6379",
                                .refuses = true});
  incidents_.condition_changed({.durability = Durability::b, .trouble = "appendfsync is everysec"});
  incidents_.condition_changed({.durability = Durability::a});
  const std::string shown = metrics({.durability = Durability::b, .trouble = "t", .refuses = true});
  EXPECT_NE(shown.find("longshore_store_durability{class=\"A\"} 0\n"), std::string::npos) << shown;
  EXPECT_NE(shown.find("longshore_store_durability{class=\"B\"} 1\n"), std::string::npos) << shown;
  EXPECT_NE(shown.find("\nlongshore_store_refuses_commits 1\n"), std::string::npos) << shown;
  EXPECT_NE(shown.find("\nlongshore_store_trouble 1\n"), std::string::npos) << shown;
  EXPECT_EQ(lines("\"level\":\"error\""), 1) << log();
  EXPECT_EQ(lines("\"level\":\"warn\""), 1) << log();
  EXPECT_EQ(lines("the store has recovered\",\"durability\":\"A\""), 1) << log();
}

}  // namespace
}  // namespace longshore
