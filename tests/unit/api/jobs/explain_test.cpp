#include "api/jobs/explain.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "unit/api/sample_job.h"

namespace longshore {
namespace {

namespace json = boost::json;

const Instant now = sample_time + Duration::seconds(10);

// A queued job with a worker and no job before it.
ExplainInput queued() {
  ExplainInput known{.job = sample_record().job, .now = now};
  known.job.state = State::queued;
  known.job.updated_at = now - Duration::seconds(1);
  known.queue = QueueView{.ns = "default", .queue = "mail", .depth = {{State::queued, 1}}};
  known.workers = {{.info = {.ns = "default", .worker = "w", .queues = {"mail"}}, .seen_at = now}};
  known.ahead = 0;
  return known;
}

std::string codes(const ExplainInput& known) {
  std::string text;
  for (const Reason& reason : explain(known).reasons) {
    text += text.empty() ? "" : " ";
    text += reason.code;
  }
  return text;
}

TEST(Explain, SaysWhatEachStateWaitsFor) {
  struct Case {
    State state;
    std::string_view code;
    bool until;
  };
  for (const Case& c : std::initializer_list<Case>{{State::created, "notAccepted", false},
                                                   {State::scheduled, "scheduled", true},
                                                   {State::retry, "backingOff", true},
                                                   {State::running, "running", true},
                                                   {State::waiting, "waitingForReply", true},
                                                   {State::queued, "next", false},
                                                   {State::success, "ended", false},
                                                   {State::dead, "ended", false}}) {
    SCOPED_TRACE(to_text(c.state));
    ExplainInput known = queued();
    known.job.state = c.state;
    EXPECT_EQ(codes(known), c.code);
    EXPECT_EQ(explain(known).reasons[0].until.has_value(), c.until);
  }
}

TEST(Explain, NamesTheErrorThatAJobBacksOffAfter) {
  ExplainInput known = queued();
  known.job.state = State::retry;
  known.job.run_at = now + Duration::seconds(8);
  known.error = JobError{.code = "SMTP", .message = "no route\nat line 3"};
  const Explanation explanation = explain(known);
  EXPECT_EQ(explanation.reasons[0].detail,
            "waits until 2026-11-15T02:00:18.000Z after SMTP: no route");
  EXPECT_EQ(explanation.forecast, known.job.run_at);
  const json::value shown = json::parse(explanation_json(known, explanation));
  EXPECT_EQ(shown.at("reasons").at(0).at("error").at("code"), "SMTP");
  EXPECT_EQ(shown.at("reasons").at(0).at("until"), "2026-11-15T02:00:18.000Z");
}

TEST(Explain, CountsTheJobsBeforeAJobUpToAThousand) {
  struct Case {
    std::int64_t ahead;
    json::value shown;
    std::string_view words;
  };
  for (const Case& c :
       {Case{1, 1, "behind 1 job in queue mail"}, Case{1000, 1000, "behind 1000 jobs in"},
        Case{1001, "1000+", "behind 1000+ jobs in queue mail"}}) {
    SCOPED_TRACE(c.words);
    ExplainInput known = queued();
    known.ahead = c.ahead;
    EXPECT_EQ(codes(known), "behind");
    const json::value shown = json::parse(explanation_json(known, explain(known)));
    EXPECT_EQ(shown.at("behind"), c.shown);
    EXPECT_TRUE(std::string_view(shown.at("summary").as_string()).contains(c.words)) << shown;
  }
}

TEST(Explain, NamesEveryObstacle) {
  ExplainInput known = queued();
  known.queue->paused = true;
  EXPECT_EQ(codes(known), "next queuePaused");
  EXPECT_FALSE(explain(known).forecast);
  known = queued();
  known.workers.clear();
  EXPECT_EQ(codes(known), "next noWorker");
  EXPECT_FALSE(explain(known).forecast);
  known = queued();
  known.queue->max_running = 2;
  known.queue->depth[State::running] = 2;
  EXPECT_EQ(codes(known), "next limitReached");
  known = queued();
  known.job.updated_at = now - known.rules.stuck_after - Duration::millis(1);
  EXPECT_EQ(codes(known), "next stuck");
}

TEST(Explain, CountsWorkersOfTheQueueAndTypeThatWereSeenRecently) {
  ExplainInput known = queued();
  WorkerView& worker = known.workers[0];
  worker.info.types = {"mail.send"};
  EXPECT_EQ(codes(known), "next");
  worker.info.types = {"other"};
  EXPECT_EQ(codes(known), "next noWorker");
  worker.info.types = {};
  worker.info.queues = {"other"};
  EXPECT_EQ(codes(known), "next noWorker");
  worker.info.queues = {"mail"};
  worker.seen_at = now - worker_remembered - Duration::millis(1);
  EXPECT_EQ(codes(known), "next noWorker");
  worker.jobs = {sample_id(5)};
  EXPECT_EQ(codes(known), "next") << "a busy worker is alive";
}

TEST(Explain, ForecastsFromTheRateOfStarts) {
  ExplainInput known = queued();
  EXPECT_EQ(explain(known).forecast, now);
  known.ahead = 9;
  EXPECT_FALSE(explain(known).forecast) << "no starts to measure";
  known.rates.started = 2;
  EXPECT_EQ(explain(known).forecast, now + Duration::seconds(5));
  known.ahead = 1001;
  known.queue->depth[State::queued] = 4000;
  EXPECT_EQ(explain(known).forecast, now + Duration::seconds(2000));
  known.job.state = State::running;
  EXPECT_FALSE(explain(known).forecast);
}

TEST(Rates, AreMeasuredOverTheLastMinutes) {
  const Instant minute = minute_of(now);
  const std::vector<MinuteRow> rows = {
      {.minute = minute - Duration::minutes(5), .queue = "q", .enqueued = 1000},
      {.minute = minute - Duration::minutes(1), .queue = "q", .enqueued = 70, .started = 35},
      {.minute = minute, .queue = "q", .enqueued = 0, .succeeded = 3, .dead = 2, .canceled = 2},
      {.minute = minute, .queue = "young", .enqueued = 20}};
  const auto rates = rates_by_queue(rows, now);  // ten seconds into its minute
  EXPECT_EQ(rates.at("q"), (Rates{1, 0.5, 0.1}));
  EXPECT_EQ(rates.at("young").enqueued, 2);
  EXPECT_TRUE(rates_by_queue({}, now).empty());
}

}  // namespace
}  // namespace longshore
