#include "api/jobs/job_json.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "core/record/list_page.h"
#include "unit/api/sample_job.h"

namespace longshore {
namespace {

namespace json = boost::json;

json::object parsed(const std::string& text) { return json::parse(text).as_object(); }

TEST(Details, ShowEverythingThatIsStored) {
  const json::object shown = parsed(details_json(sample_record()));
  const std::string expected = R"({
    "jobId": "019a0000-0000-7000-8000-000000000001", "jobType": "mail.send", "status": "RUNNING",
    "createdAt": "2026-11-15T02:00:00.000Z", "updatedAt": "2026-11-15T02:00:01.000Z",
    "runAt": "2026-11-15T02:00:00.000Z", "startedAt": "2026-11-15T02:00:01.000Z",
    "progress": 12.5, "state": "RUNNING", "id": 17, "queue": "mail", "priority": 3,
    "jobKey": "order-7", "idempotencyKey": "once", "tags": ["red", "blue"], "attempt": 2,
    "failures": 1, "crashes": 1, "retryCount": 1, "epoch": 2, "version": 5, "maxRetries": 4,
    "timeoutSeconds": 1.5,
    "backoff": {"kind": "exponential", "baseSeconds": 2, "maxSeconds": 3600, "jitter": 0.1},
    "expiresAt": null, "firstStartedAt": "2026-11-15T02:00:01.000Z", "executionMillis": 250,
    "deadlineAt": "2026-11-15T02:01:30.000Z",
    "lease": {"workerId": "w1", "expiresAt": "2026-11-15T02:00:31.000Z"},
    "redriveOf": null, "successorId": null, "metadata": {"a": "b"}, "request": {"method": "GET"},
    "payload": {"to": [100.0]}, "result": null, "checkpoint": [1],
    "error": {"code": "SMTP", "message": "no route", "details": {"n": 1}},
    "errors": [{"attempt": 1, "at": "2026-11-15T02:00:00.000Z", "code": "SMTP",
                "message": "no route", "details": {"n": 1}}]})";
  EXPECT_EQ(shown, parsed(expected)) << shown;
}

TEST(Details, KeepThePayloadByteForByte) {
  EXPECT_TRUE(details_json(sample_record()).contains(R"("payload":{ "to" : [1e2] })"));
}

TEST(Details, HaveNoErrorAfterSuccess) {
  JobRecord record = sample_record();
  record.job.state = State::success;
  record.error.reset();
  record.result = "42";
  record.job.lease_expires_at.reset();
  const json::object shown = parsed(details_json(record));
  EXPECT_FALSE(shown.contains("error"));
  EXPECT_EQ(shown.at("result"), 42);
  EXPECT_TRUE(shown.at("lease").is_null());
}

TEST(Details, ShowAnExpiredOrCanceledJobAsCanceled) {
  JobRecord record = sample_record();
  record.job.state = State::dead;
  EXPECT_EQ(parsed(details_json(record)).at("status"), "FAILED");
  record.job.withdrawn = true;
  EXPECT_EQ(parsed(details_json(record)).at("status"), "CANCELED");
}

TEST(Lists, ShowTheLatestErrorInShort) {
  const JobError error{.code = "E", .message = "one\ntwo"};
  const json::object list =
      parsed(list_json({.jobs = {{.job = sample_record().job, .tags = {}, .error = error}}}));
  EXPECT_EQ(list.at("jobs").at(0).at("error"), json::parse(R"({"code":"E","message":"one"})"));
}

TEST(Lists, OmitLargeMembers) {
  const JobRecord record = sample_record();
  const json::object list = parsed(
      list_json({.jobs = {{.job = record.job, .tags = record.body.tags}}, .next = sample_id(9)}));
  const json::object item = list.at("jobs").at(0).as_object();
  for (const char* name : {"payload", "result", "checkpoint", "errors"}) {
    EXPECT_FALSE(item.contains(name)) << name;
  }
  EXPECT_EQ(item.at("state"), "RUNNING");
  EXPECT_EQ(item.at("jobId").as_string(), to_text(record.job.id));
  EXPECT_EQ(item.at("tags"), json::parse(R"(["red","blue"])"));
  EXPECT_EQ(parse_cursor(list.at("nextCursor").as_string()), sample_id(9));
}

TEST(Lists, EndWithoutACursor) { EXPECT_EQ(list_json({}), R"({"jobs":[],"nextCursor":null})"); }

TEST(History, BeginsWithoutAFromState) {
  JobRecord record = sample_record();
  record.history_dropped = 3;
  const json::object shown = parsed(history_json(record));
  EXPECT_EQ(shown.at("dropped"), 3);
  EXPECT_EQ(shown.at("history").at(0),
            json::parse(R"({"seq": 1, "from": null, "to": "CREATED", "cause": "enqueue",
                            "at": "2026-11-15T02:00:00.000Z", "epoch": 0, "workerId": null,
                            "detail": null})"));
  EXPECT_EQ(shown.at("history").at(3).at("workerId"), "w0");
  EXPECT_EQ(shown.at("history").at(3).at("detail"), "SMTP");
}

TEST(Logs, AreListedByAttempt) {
  EXPECT_EQ(logs_json({{.attempt = 1, .text = "a\n"}, {.attempt = 2, .text = "\xFF"}}),
            "{\"logs\":[{\"attempt\":1,\"text\":\"a\\n\"},"
            "{\"attempt\":2,\"text\":\"\xEF\xBF\xBD\"}]}");
}

TEST(Cursor, AcceptsOnlyItsOwnFormat) {
  EXPECT_EQ(parse_cursor(cursor_text(sample_id(3))), sample_id(3));
  for (const std::string& text :
       {std::string(), std::string("a"), std::string("b") + cursor_text(sample_id(3)).substr(1),
        cursor_text(sample_id(3)) + "0", "a" + to_hex(1, 1), to_text(sample_id(3))}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(parse_cursor(text));
  }
}

}  // namespace
}  // namespace longshore
