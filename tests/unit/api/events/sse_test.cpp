#include "api/events/sse.h"

#include <gtest/gtest.h>

#include <utility>

#include "unit/api/sample_job.h"

namespace longshore {
namespace {

TEST(Sse, WritesOneEvent) {
  EXPECT_EQ(sse_event("transition", "7", "{}"), "event: transition\nid: 7\ndata: {}\n\n");
  EXPECT_EQ(sse_event("reset", "", "{}"), "event: reset\ndata: {}\n\n");
}

TEST(Sse, WritesATransitionWithoutAnError) {
  const JobRecord record = sample_record();
  const JobEvent first{
      .job = record.job.id, .type = "T", .queue = "q", .transition = record.history[0]};
  EXPECT_EQ(transition_json(first, {.from = {}, .to = "CREATED"}, {}),
            R"({"jobId":"019a0000-0000-7000-8000-000000000001","jobType":"T","queue":"q",)"
            R"("from":null,"to":"CREATED","cause":"enqueue","at":"2026-11-15T02:00:00.000Z",)"
            R"("status":"PENDING"})");
}

TEST(Sse, WritesTheErrorOfAFailure) {
  const JobRecord record = sample_record();
  const Transition& failed = record.history[3];
  EXPECT_EQ(error_of(record, failed)->message, "no route");
  EXPECT_FALSE(error_of(record, record.history[2]));
  const JobEvent events{.job = record.job.id, .transition = failed};
  const ShownMove shown{.from = "RUNNING", .to = "RETRY"};
  EXPECT_TRUE(transition_json(events, shown, JobError{.code = "C", .message = "a\nb"})
                  .ends_with(R"("status":"PENDING","error":{"code":"C","message":"a"}})"));
}

TEST(Sse, WritesACanceledDeadJobAsCanceled) {
  for (const auto& [detail, status] :
       {std::pair("CANCELED", "CANCELED"), std::pair("EXPIRED", "CANCELED"),
        std::pair("SMTP", "FAILED")}) {
    const Transition last{.from = State::retry, .to = State::dead, .detail = detail};
    const std::string told = transition_json({.transition = last}, {.from = "", .to = ""}, {});
    EXPECT_TRUE(told.ends_with("\"status\":\"" + std::string(status) + "\"}")) << told;
  }
}

TEST(Sse, WritesTheLastErrorOfADeadJob) {
  JobRecord record = sample_record();
  record.history.push_back({.seq = 5,
                            .from = State::retry,
                            .to = State::dead,
                            .cause = Cause::limit_exceeded,
                            .at = sample_time + Duration::seconds(2),
                            .detail = "POISON"});
  record.error = JobError{.code = "POISON", .message = "lost too often"};
  EXPECT_EQ(error_of(record, record.history.back())->message, "lost too often");
}

TEST(Sse, FallsBackToTheHistoryForUncountedFailures) {
  JobRecord record = sample_record();
  const Transition lost{.seq = 9,
                        .from = State::running,
                        .to = State::retry,
                        .cause = Cause::lease_lost,
                        .at = sample_time,
                        .detail = "LEASE_LOST"};
  EXPECT_EQ(error_of(record, lost)->code, "LEASE_LOST");
}

}  // namespace
}  // namespace longshore
