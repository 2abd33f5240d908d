// A job in the words of each published design: all of its fields, and no other.
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "api/jobs/job_json.h"
#include "api/jobs/list_filter.h"
#include "api/views/view.h"
#include "core/policy/profile_words.h"
#include "unit/api/sample_job.h"

namespace longshore {
namespace {

namespace json = boost::json;

// The design's own fields: the members that every view adds are checked and removed.
json::value own_fields(const JobView& view, const Job& job, json::value shown) {
  json::object& members = shown.as_object();
  const std::string_view status =
      view.has_status ? profile_word(view.profile, job)->word : to_text(status_of(job));
  EXPECT_EQ(members.at("jobId").as_string(), to_text(job.id));
  EXPECT_EQ(members.at("status").as_string(), status);
  EXPECT_EQ(members.at("state").as_string(), profile_word(view.profile, job)->word);
  if (!view.has_job_id) members.erase("jobId");
  if (!view.has_state) members.erase("state");
  if (!view.has_status) members.erase("status");
  return shown;
}

json::value shown_as(std::string_view profile, const JobRecord& record) {
  const JobView& view = *find_view(profile);
  return own_fields(view, record.job, json::parse(details_json(record, view)));
}

json::value listed_as(std::string_view profile, const JobRecord& record) {
  const JobView& view = *find_view(profile);
  const JobSummary summary{.job = record.job, .tags = record.body.tags, .error = record.error};
  json::value listed = json::parse(list_json({.jobs = {summary}}, view));
  return own_fields(view, record.job, listed.at("jobs").at(0));
}

std::vector<std::string> missing_in_list(std::string_view profile, const JobRecord& record) {
  std::vector<std::string> names;
  const json::value listed = listed_as(profile, record);
  const json::value shown = shown_as(profile, record);
  for (const auto& member : shown.as_object()) {
    if (!listed.as_object().contains(member.key())) names.emplace_back(member.key());
  }
  return names;
}

JobRecord ended_as(State state) {
  JobRecord record = sample_record();
  record.job.state = state;
  record.job.lease_expires_at.reset();
  record.job.worker.clear();
  record.job.completed_at = sample_time + Duration::seconds(9);
  if (state != State::success) return record;
  record.error.reset();
  record.result = "{\"ok\": 1e1}";
  return record;
}

using Strings = std::vector<std::string>;

TEST(ProfileViews, ShowAnExternalInstance) {
  EXPECT_EQ(shown_as("external", sample_record()), json::parse(R"({
    "id": 17, "job_type": "mail.send", "job_key": "order-7", "state": "running", "error": "NONE",
    "attempt": 2, "scheduled_run_time": "2026-11-15T02:00:00.000Z",
    "create_time": "2026-11-15T02:00:00.000Z", "update_time": "2026-11-15T02:00:01.000Z"})"));
  EXPECT_EQ(missing_in_list("external", sample_record()), Strings{});
}

TEST(ProfileViews, WriteNoneWhereAnExternalInstanceHasNoError) {
  JobRecord record = sample_record();
  record.job.attempt = 0;
  for (const State state : {State::created, State::scheduled, State::queued, State::waiting}) {
    record.job.state = state;
    EXPECT_EQ(shown_as("external", record).at("error"), "NONE");
  }
  EXPECT_EQ(shown_as("external", ended_as(State::success)).at("error"), "NONE");
}

TEST(ProfileViews, WriteTheErrorOfAnExternalInstanceAsText) {
  const char* const whole = R"({"code":"SMTP","message":"no route","details":{"n":1}})";
  for (const State state : {State::retry, State::queued, State::dead, State::canceled}) {
    EXPECT_EQ(shown_as("external", ended_as(state)).at("error"), whole);
  }
  EXPECT_EQ(listed_as("external", ended_as(State::dead)).at("error"),
            R"({"code":"SMTP","message":"no route"})");
  JobRecord released = ended_as(State::queued);
  released.error.reset();
  EXPECT_EQ(shown_as("external", released).at("error"),
            R"({"code":"RELEASED","message":"The worker released the job"})");
}

TEST(ProfileViews, ShowAnEndpointsJob) {
  JobRecord record = sample_record();
  record.body.request = R"({"method":"GET","headers":{"Accept":["a","b"]},"routeParams":{"id":7},)"
                        R"("queryParams":[{"name":"q","values":["x","y"]}]})";
  EXPECT_EQ(shown_as("endpoints", record), json::parse(R"({
    "Id": "019a0000-0000-7000-8000-000000000001", "Name": "mail.send", "Status": "InProgress",
    "StatusNumber": 300, "Headers": {"Accept": ["a", "b"]}, "RouteParams": {"id": 7},
    "QueryParams": [{"Key": "q", "Value": ["x", "y"]}], "Payload": "{ \"to\" : [1e2] }",
    "Result": null, "Error": {"Code": "SMTP", "Message": "no route", "Details": {"n": 1}},
    "RetryCount": 1, "MaxRetries": 4, "RetryDelayUntil": null, "WorkerId": "w1",
    "CreatedAt": "2026-11-15T02:00:00.000Z", "StartedAt": "2026-11-15T02:00:01.000Z",
    "CompletedAt": null, "LastUpdatedAt": "2026-11-15T02:00:01.000Z"})"));
  EXPECT_EQ(missing_in_list("endpoints", record),
            (Strings{"Headers", "RouteParams", "QueryParams", "Payload", "Result"}));
}

TEST(ProfileViews, ShowAbsentFieldsOfAnEndpointsJobAsNull) {
  JobRecord record = ended_as(State::success);
  record.body.request.clear();
  const json::value done = shown_as("endpoints", record);
  EXPECT_EQ(done.at("Headers"), json::object());
  EXPECT_EQ(done.at("RouteParams"), json::object());
  EXPECT_EQ(done.at("QueryParams"), json::array());
  EXPECT_EQ(done.at("Result"), "{\"ok\": 1e1}");
  EXPECT_TRUE(done.at("Error").is_null());
  EXPECT_TRUE(done.at("WorkerId").is_null());
  EXPECT_EQ(shown_as("endpoints", ended_as(State::retry)).at("RetryDelayUntil"),
            "2026-11-15T02:00:00.000Z");
}

TEST(ProfileViews, ShowAnOrchestratorRow) {
  JobRecord record = sample_record();
  record.job.failures = 4;
  EXPECT_EQ(shown_as("orchestrator", record), json::parse(R"({
    "jobId": "019a0000-0000-7000-8000-000000000001", "jobType": "mail.send", "state": "RUNNING",
    "retry_count": 4, "lease_owner": "w1", "lease_expiry": "2026-11-15T02:00:31.000Z",
    "idempotencyKey": "once", "created_at": "2026-11-15T02:00:00.000Z",
    "updated_at": "2026-11-15T02:00:01.000Z", "payload": {"to": [100.0]}})"));
  EXPECT_EQ(missing_in_list("orchestrator", record), Strings{"payload"});
  const json::value dead = shown_as("orchestrator", ended_as(State::dead));
  EXPECT_TRUE(dead.at("lease_owner").is_null());
  EXPECT_TRUE(dead.at("lease_expiry").is_null());
}

TEST(ProfileViews, ShowASchedulerHash) {
  EXPECT_EQ(shown_as("scheduler", sample_record()), json::parse(R"({
    "job_id": "019a0000-0000-7000-8000-000000000001", "job_type": "mail.send", "state": "Running",
    "attempt_count": 2, "run_at": "2026-11-15T02:00:00.000Z",
    "lease_expires_at": "2026-11-15T02:00:31.000Z",
    "error": "{\"code\":\"SMTP\",\"message\":\"no route\",\"details\":{\"n\":1}}",
    "created_at": "2026-11-15T02:00:00.000Z", "updated_at": "2026-11-15T02:00:01.000Z",
    "payload": {"to": [100.0]}, "result": null})"));
  EXPECT_EQ(missing_in_list("scheduler", sample_record()), (Strings{"payload", "result"}));
}

TEST(ProfileViews, ShowTheMetadataOfABasicJob) {
  EXPECT_EQ(shown_as("basic", ended_as(State::dead)), json::parse(R"({
    "id": "019a0000-0000-7000-8000-000000000001", "job_type": "mail.send", "status": "dead",
    "execution_time": 0.25, "retries_count": 1, "creation_time": "2026-11-15T02:00:00.000Z",
    "start_time": "2026-11-15T02:00:01.000Z", "completion_time": null,
    "dead_time": "2026-11-15T02:00:09.000Z", "error_messages": ["no route"],
    "payload": {"to": [100.0]}, "result": null})"));
  EXPECT_EQ(shown_as("basic", ended_as(State::success)).at("completion_time"),
            "2026-11-15T02:00:09.000Z");
  EXPECT_EQ(missing_in_list("basic", sample_record()),
            (Strings{"error_messages", "payload", "result"}));
  EXPECT_EQ(listed_as("basic", sample_record()).at("error_message"), "no route");
}

Strings moves_in(std::string_view profile, const std::vector<Transition>& history) {
  JobRecord record = sample_record();
  record.history = history;
  const json::value shown = json::parse(history_json(record, *find_view(profile)));
  Strings moves;
  for (const json::value& move : shown.at("history").as_array()) {
    const std::string from = move.at("from").is_null() ? "" : move.at("from").as_string().c_str();
    moves.push_back(from + ">" + move.at("to").as_string().c_str());
  }
  return moves;
}

// One attempt that fails and is retried, and one that ends the job.
std::vector<Transition> long_story() {
  struct Step {
    State to;
    Cause cause;
    std::int64_t epoch;
  };
  std::vector<Transition> history;
  for (const auto& [to, cause, epoch] :
       {Step{State::created, Cause::enqueue, 0}, Step{State::queued, Cause::accept, 0},
        Step{State::running, Cause::claim, 1}, Step{State::retry, Cause::fail, 1},
        Step{State::queued, Cause::due, 1}, Step{State::running, Cause::claim, 2},
        Step{State::retry, Cause::fail, 2}, Step{State::dead, Cause::limit_exceeded, 2}}) {
    const std::optional<State> from =
        history.empty() ? std::nullopt : std::optional(history.back().to);
    history.push_back(
        {.seq = std::ssize(history) + 1, .from = from, .to = to, .cause = cause, .epoch = epoch});
  }
  return history;
}

TEST(ProfileViews, ShowOnlyTransitionsThatTheDesignAllows) {
  const std::vector<Transition> story = long_story();
  EXPECT_EQ(moves_in("external", story),
            (Strings{">initial", "initial>running", "running>error", "error>running",
                     "running>error", "error>final"}));
  EXPECT_EQ(moves_in("endpoints", story),
            (Strings{">Queued", "Queued>InProgress", "InProgress>Scheduled", "Scheduled>Queued",
                     "Queued>InProgress", "InProgress>Failed"}));
  EXPECT_EQ(moves_in("scheduler", story),
            (Strings{">Scheduled", "Scheduled>Queued", "Queued>Running", "Running>Scheduled",
                     "Scheduled>Queued", "Queued>Running", "Running>Failed"}));
  EXPECT_EQ(moves_in("basic", story),
            (Strings{">pending", "pending>running", "running>failed", "failed>pending",
                     "pending>running", "running>failed", "failed>dead"}));
  EXPECT_EQ(moves_in("orchestrator", story), moves_in("native", story));
  EXPECT_EQ(moves_in("native", story).size(), story.size());
}

TEST(ProfileViews, HaveTheNamesOfTheProfiles) {
  EXPECT_EQ(view_names(), "native, basic, endpoints, scheduler, external or orchestrator");
  EXPECT_EQ(find_view("Basic"), nullptr);
}

}  // namespace
}  // namespace longshore
