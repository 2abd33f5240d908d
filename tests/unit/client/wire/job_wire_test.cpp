#include "client/wire/job_wire.h"

#include <gtest/gtest.h>

#include "core/record/list_page.h"

namespace longshore {
namespace {

const JobId wired = parse_job_id("01900000-0000-7000-8000-000000000001").value();
const std::string wired_text = to_text(wired);

TEST(JobWire, SendsEveryMemberOfAJobRequest) {
  const JobRequest request{.type = "T",
                           .payload = R"({"a": 1})",
                           .options = {.queue = "q",
                                       .priority = 0,
                                       .delay = Duration::millis(1500),
                                       .job_key = "k",
                                       .on_conflict = OnConflict::replace,
                                       .policy = {.max_retries = 0,
                                                  .timeout = Duration::seconds(9),
                                                  .backoff = {.kind = Backoff::Kind::none}},
                                       .tags = {"x"},
                                       .metadata = {{"m", "1"}},
                                       .traceparent = "00-trace",
                                       .callback = Callback{"https://example.org/", "s"},
                                       .id = wired}};
  const HttpCall call = call_for(std::vector<JobRequest>{request}).value();
  EXPECT_EQ(call.method, "POST");
  EXPECT_EQ(call.path, "/jobs");
  EXPECT_EQ(call.body, R"({"jobType":"T","jobId":")" + wired_text +
                           R"(","queue":"q","priority":0,"jobKey":"k","onConflict":"replace",)"
                           R"("delaySeconds":1.5,"maxRetries":0,"timeoutSeconds":9,)"
                           R"("backoff":{"kind":"none"},"tags":["x"],"metadata":{"m":"1"},)"
                           R"("callback":{"url":"https://example.org/","secretName":"s"},)"
                           R"("payload":{"a": 1}})");
  ASSERT_EQ(call.headers.size(), 1U);
  EXPECT_EQ(call.headers[0].second, "00-trace");
}

TEST(JobWire, SendsSeveralJobsTogetherWithOneTrace) {
  std::vector<JobRequest> requests(2, JobRequest{.type = "T", .options = {.id = wired}});
  EXPECT_EQ(call_for(requests)->path, "/jobs/batch");
  EXPECT_TRUE(call_for(requests)->body.starts_with(R"({"jobs":[{"jobType":"T",)"));
  requests[1].options.traceparent = "00-other";
  EXPECT_EQ(call_for(requests).error().code, Errc::invalid);
  EXPECT_EQ(call_for(std::vector<JobRequest>()).error().code, Errc::invalid);
}

TEST(JobWire, SendsEachActionToItsRoute) {
  const std::string job = "/jobs/" + wired_text;
  const struct {
    Command command;
    std::string path;
    std::string body;
  } cases[] = {
      {Cancel{.job = wired, .force = true}, job + "/cancel", R"({"force":true})"},
      {Promote{.job = wired}, job + "/promote", "{}"},
      {Resolve{.job = wired, .outcome = {.result = "[1]"}}, job + "/resolve", R"({"result":[1]})"},
      {Redrive{.job = wired,
               .payload = "2",
               .queue = "q",
               .priority = 3,
               .max_retries = 4,
               .timeout = Duration::seconds(5),
               .delay = Duration::seconds(6)},
       job + "/redrive",
       R"({"payload":2,"queue":"q","priority":3,"maxRetries":4,"timeoutSeconds":5,)"
       R"("delaySeconds":6})"},
      {Redrive{.job = wired, .run_at = Instant::millis(0)}, job + "/redrive",
       R"({"runAt":"1970-01-01T00:00:00.000Z"})"},
      {FinishByKey{.type = "T", .key = "a/b", .outcome = {.result = "1"}, .fence = 7},
       "/types/T/keys/a%2Fb/complete", R"({"result":1,"fence":7})"},
      {FinishByKey{
           .type = "T", .key = "..", .outcome = {.error = {"E", "m", ""}, .retryable = false}},
       "/types/T/keys/%2E%2E/fail", R"({"error":{"code":"E","message":"m"},"retryable":false})"},
  };
  for (const auto& c : cases) {
    const HttpCall call = call_for_action(c.command).value();
    EXPECT_EQ(call.method, "POST");
    EXPECT_EQ(call.path, c.path);
    EXPECT_EQ(call.body, c.body);
  }
  EXPECT_FALSE(call_for_action(Due()).ok());
}

TEST(JobWire, BuildsListQueriesWithTheParametersOfTheApi) {
  const HttpCall call =
      call_for(ListQuery{.type = "T", .tag = "a b", .limit = 7, .before = wired}).value();
  EXPECT_EQ(call.path, "/jobs?jobType=T&tag=a%20b&limit=7&cursor=" + cursor_text(wired));
  const std::vector<StateMatch> failed = {{.state = State::dead, .withdrawn = false}};
  EXPECT_EQ(call_for(ListQuery{.states = failed, .hide_redriven = true}).value().path,
            "/dead?limit=50");
  EXPECT_EQ(call_for(ListQuery{.states = {{State::queued}, failed[0]}}).value().path,
            "/jobs?state=QUEUED%2CFAILED&limit=50");
  EXPECT_EQ(call_for(ListQuery{.states = {{State::queued, {}, true}}}).error().code, Errc::invalid);
  EXPECT_EQ(call_for(ListQuery{.ns = "other"}).error().code, Errc::invalid);
  EXPECT_EQ(call_for(ListQuery{.hide_redriven = true}).error().code, Errc::invalid);
}

TEST(JobWire, DerivesTheStateOfAPublicJobFromItsStatus) {
  const struct {
    const char* status;
    State state;
  } cases[] = {{"PENDING", State::queued},
               {"RUNNING", State::running},
               {"COMPLETED", State::success},
               {"FAILED", State::dead},
               {"CANCELED", State::canceled}};
  for (const auto& c : cases) {
    const HttpReply reply{.status = 200,
                          .body = R"({"jobId":")" + wired_text + R"(","jobType":"T","status":")" +
                                  c.status + R"(","createdAt":"2026-01-01T00:00:00.000Z"})"};
    const JobRecord record = read_public_job(reply).value();
    EXPECT_EQ(record.job.id, wired);
    EXPECT_EQ(record.job.state, c.state);
    EXPECT_EQ(record.job.created_at, Instant::millis(1'767'225'600'000));
  }
  EXPECT_EQ(read_public_job({.status = 200, .body = "<html>"}).error().code, Errc::unavailable);
}

TEST(JobWire, ReadsATransitionFromItsEvent) {
  const Transition move =
      read_transition("7", R"({"from":"RUNNING","to":"RETRY","cause":"fail",)"
                           R"("at":"2026-01-01T00:00:00.000Z","error":{"code":"E"}})")
          .value();
  EXPECT_EQ(move.seq, 7);
  EXPECT_EQ(move.from, State::running);
  EXPECT_EQ(move.to, State::retry);
  EXPECT_EQ(move.cause, Cause::fail);
  EXPECT_EQ(move.detail, "E");
  EXPECT_FALSE(read_transition("7", "{}"));
  EXPECT_FALSE(read_transition("x", R"({"to":"RETRY","cause":"fail"})"));
}

}  // namespace
}  // namespace longshore
