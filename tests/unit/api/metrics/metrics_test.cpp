#include "api/metrics/metrics.h"

#include <gtest/gtest.h>

#include <array>

#include "unit/api/metrics_lint.h"

namespace longshore {
namespace {

void ignore(Api&, CallRef) {}

const std::array<Route, 2> table = {
    Route{.method = "GET", .pattern = "/jobs", .roles = {}, .handle = ignore, .answers = {}},
    Route{.method = "POST", .pattern = "/jobs", .roles = {}, .handle = ignore, .answers = {}}};

class MetricsTest : public ::testing::Test {
 protected:
  static JobEvent moved(std::optional<State> from, State to, Cause cause, Duration took = {}) {
    return {.ns = "default",
            .type = "T",
            .queue = "q",
            .transition = {.from = from, .to = to, .cause = cause},
            .took = took};
  }
  std::string text(const MetricsNow& now = {}) { return metrics.text("default", now); }
  bool has(const std::string& line) { return text().contains("\n" + line + "\n"); }

  Metrics metrics{table};
};

TEST_F(MetricsTest, AreWellFormedWithoutData) { EXPECT_EQ(metrics_faults(text()), ""); }

TEST_F(MetricsTest, CountTheTransitionsOfAJob) {
  metrics.on_commit(
      {.verdicts = std::vector<Verdict>(3),
       .events = {moved({}, State::created, Cause::enqueue),
                  moved(State::created, State::queued, Cause::accept),
                  moved(State::queued, State::running, Cause::claim, Duration::millis(20)),
                  moved(State::running, State::retry, Cause::fail, Duration::seconds(2)),
                  moved(State::retry, State::queued, Cause::due),
                  moved(State::queued, State::running, Cause::claim),
                  moved(State::running, State::retry, Cause::lease_lost),
                  moved(State::running, State::success, Cause::complete)}});
  const std::string labels = R"({namespace="default",queue="q",job_type="T"})";
  EXPECT_TRUE(has("longshore_jobs_enqueued_total" + labels + " 1"));
  EXPECT_TRUE(has("longshore_jobs_started_total" + labels + " 2"));
  EXPECT_TRUE(has("longshore_jobs_retries_total" + labels + " 1"));
  EXPECT_TRUE(has("longshore_leases_lost_total" + labels + " 1"));
  EXPECT_TRUE(has(R"(longshore_jobs_finished_total{namespace="default",queue="q",job_type="T",)"
                  R"(outcome="success"} 1)"));
  EXPECT_TRUE(has("longshore_job_wait_seconds_count" + labels + " 2"));
  EXPECT_TRUE(has("longshore_job_wait_seconds_sum" + labels + " 0.02"));
  EXPECT_TRUE(has(R"(longshore_job_run_seconds_bucket{namespace="default",queue="q",job_type="T",)"
                  R"(le="2.5"} 3)"));
  EXPECT_TRUE(has("longshore_commit_commands_sum 3"));
  EXPECT_EQ(metrics_faults(text()), "");
}

TEST_F(MetricsTest, HideOtherNamespaces) {
  metrics.on_commit({.events = {moved({}, State::created, Cause::enqueue)}});
  EXPECT_FALSE(metrics.text("other", {}).contains("queue=\"q\""));
}

TEST_F(MetricsTest, CountAnswersByRouteAndStatus) {
  metrics.answered(&table[1], 202, Duration::millis(1500));
  metrics.answered(&table[1], 202, Duration());
  metrics.answered(&table[0], 418, Duration());
  metrics.answered(nullptr, 404, Duration());
  EXPECT_TRUE(has(R"(longshore_http_requests_total{method="POST",route="/jobs",status="202"} 2)"));
  EXPECT_TRUE(has(R"(longshore_http_requests_total{method="GET",route="/jobs",status="other"} 1)"));
  EXPECT_TRUE(has(R"(longshore_http_requests_total{method="other",route="none",status="404"} 1)"));
  EXPECT_TRUE(has(R"(longshore_http_request_seconds_total{method="POST",route="/jobs"} 1.5)"));
}

TEST_F(MetricsTest, ShowTheDepthOfQueues) {
  const MetricsNow now{.queues = {{.ns = "default",
                                   .queue = "say \"hi\"\\\n",
                                   .depth = {{State::queued, 3}},
                                   .oldest_queued = Instant::millis(1000)}},
                       .now = Instant::millis(3500),
                       .store = "memory",
                       .durability = "C",
                       .version = "1.2"};
  const std::string shown = text(now);
  EXPECT_TRUE(shown.contains(
      R"(longshore_queue_depth{namespace="default",queue="say \"hi\"\\\n",state="QUEUED"} 3)"));
  EXPECT_TRUE(
      shown.contains(R"(longshore_build_info{version="1.2",store="memory",durability="C"} 1)"));
  EXPECT_TRUE(shown.contains("} 2.5\n"));
  EXPECT_EQ(metrics_faults(shown), "");
}

TEST_F(MetricsTest, CountRetries) {
  metrics.on_commit({.events = {moved(State::running, State::retry, Cause::fail),
                                moved(State::retry, State::dead, Cause::limit_exceeded)}});
  const std::string labels = R"({namespace="default",queue="q",job_type="T"})";
  EXPECT_TRUE(has("longshore_jobs_retries_total" + labels + " 0"));
  metrics.on_commit({.events = {moved(State::running, State::retry, Cause::timeout),
                                moved(State::retry, State::queued, Cause::due)}});
  EXPECT_TRUE(has("longshore_jobs_retries_total" + labels + " 1"));
}

TEST_F(MetricsTest, BoundTheNumberOfQueues) {
  MetricsNow now;
  for (int i = 0; i < 1000; ++i) {
    now.queues.push_back({.ns = "default", .queue = "q" + std::to_string(i)});
    now.queues.back().depth[State::queued] = i;
  }
  const std::string shown = text(now);
  EXPECT_TRUE(shown.contains(R"(queue="q999",state="QUEUED"} 999)"));
  EXPECT_FALSE(shown.contains(R"(queue="q1",)"));
  EXPECT_TRUE(shown.contains(R"(queue="other",state="QUEUED"} 320400)"));
  EXPECT_EQ(metrics_faults(shown), "");
}

TEST_F(MetricsTest, BoundTheNumberOfSeries) {
  Committed committed;
  for (int i = 0; i < 2000; ++i) {
    JobEvent one = moved({}, State::created, Cause::enqueue);
    one.ns = i % 2 == 0 ? "default" : "ns" + std::to_string(i);
    one.type = "type" + std::to_string(i);
    committed.events.push_back(one);
  }
  metrics.on_commit(committed);
  const std::string shown = text();
  EXPECT_TRUE(shown.contains(
      R"(longshore_jobs_enqueued_total{namespace="default",queue="other",job_type="other"} )"));
  std::size_t lines = 0;
  for (std::size_t at = 0; (at = shown.find("longshore_jobs_enqueued_total{", at)) != shown.npos;) {
    ++lines;
    ++at;
  }
  EXPECT_LE(lines, 2 * Metrics::series_max);
}

TEST(MetricsLint, FindsInvalidMetrics) {
  for (const char* bad :
       {"longshore_a_total 1\n",
        "# HELP longshore_a x\n# TYPE longshore_a counter\nlongshore_a 1\n",
        "# HELP longshore_a x\n# TYPE longshore_a gauge\nlongshore_a{b=\"c} 1\n",
        "# HELP longshore_a x\n# TYPE longshore_a gauge\nlongshore_a one\n",
        "# HELP longshore_a x\n# TYPE longshore_a gauge\nlongshore_a 1\nlongshore_a 2\n",
        "# HELP other_a x\n# TYPE other_a gauge\nother_a 1\n",
        "# HELP longshore_a x\n# TYPE longshore_a gauge\nlongshore_a 1",
        "# TYPE longshore_a gauge\nlongshore_a 1\n",
        "# HELP longshore_h x\n# TYPE longshore_h histogram\n"
        "longshore_h_bucket{le=\"1\"} 2\nlongshore_h_bucket{le=\"+Inf\"} 1\n"
        "longshore_h_sum 1\nlongshore_h_count 1\n",
        "# HELP longshore_h x\n# TYPE longshore_h histogram\n"
        "longshore_h_bucket{le=\"1\"} 1\nlongshore_h_sum 1\nlongshore_h_count 1\n"}) {
    EXPECT_NE(metrics_faults(bad), "") << bad;
  }
}

}  // namespace
}  // namespace longshore
