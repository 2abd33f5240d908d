#include "client/wire/wire.h"

#include <gtest/gtest.h>

#include "core/ids/lease_token.h"
#include "core/json/json_scan.h"

namespace longshore {
namespace {

const JobId job = parse_job_id("01900000-0000-7000-8000-000000000001").value();
const LeaseToken token{.epoch = 3, .claim = {.high = 1, .low = 2}};
const std::string token_member = R"("leaseToken":")" + to_text(token) + R"(")";

TEST(Wire, SendsEachCommandToItsRoute) {
  const struct {
    const char* name;
    Command word;
    const char* route;
    std::string body;
  } cases[] = {
      {"heartbeat",
       Heartbeat{.job = job, .token = token, .progress = 40, .checkpoint = "[1]", .log = "a\n"},
       "heartbeat", "{" + token_member + R"(,"progress":40,"checkpoint":[1],"log":"a\n"})"},
      {"complete", Complete{.job = job, .token = token, .result = "{\"a\": 1}"}, "complete",
       "{" + token_member + R"(,"result":{"a": 1}})"},
      {"fail",
       Fail{.job = job,
            .token = token,
            .error = {"E", "no", "[2]"},
            .retryable = false,
            .retry_after = Duration::millis(1500)},
       "fail",
       "{" + token_member +
           R"(,"error":{"code":"E","message":"no","details":[2]},"retryable":false,)"
           R"("retryAfterSeconds":1.5})"},
      {"release", Release{.job = job, .token = token, .delay = Duration::seconds(2)}, "release",
       "{" + token_member + R"(,"delaySeconds":2})"},
      {"handoff", HandOff{.job = job, .token = token}, "handoff", "{" + token_member + "}"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    ASSERT_TRUE(is_worker_command(c.word));
    const HttpCall call = call_for(c.word);
    EXPECT_EQ(call.method, "POST");
    EXPECT_EQ(call.path, "/jobs/" + to_text(job) + "/" + c.route);
    EXPECT_EQ(call.body, c.body);
    EXPECT_TRUE(scan_json(call.body));
  }
  EXPECT_FALSE(is_worker_command(Due()));
}

TEST(Wire, SendsAClaim) {
  const Claim claim{.id = {.high = 1, .low = 2},
                    .worker = "w",
                    .queues = {"a", "b"},
                    .types = std::vector<std::string>{"T"},
                    .limit = 2,
                    .lease = Duration::seconds(30)};
  const WorkerInfo info{.slots = 4, .host = "h", .version = "1"};
  const HttpCall call = call_for(claim, Duration::seconds(20), &info);
  EXPECT_EQ(call.path, "/leases");
  EXPECT_EQ(call.body,
            R"({"workerId":"w","queues":["a","b"],"jobTypes":["T"],"maxJobs":2,"waitSeconds":20,)"
            R"("leaseSeconds":30,"requestId":"00000000000000010000000000000002",)"
            R"("worker":{"slots":4,"host":"h","version":"1"}})");
  EXPECT_GT(call.timeout, Duration::seconds(20));
}

TEST(Wire, ReadsALeaseAndIgnoresUnknownMembers) {
  const HttpReply reply{
      .status = 200,
      .body =
          R"({"leases":[{"jobId":")" + to_text(job) + R"(","jobType":"T","jobKey":null,)" +
          R"("queue":"q","payload":{"a": [1]},"attempt":2,"failures":1,"maxRetries":3,)" +
          R"("fence":3,)" + token_member +
          R"(,"leaseExpiresAt":"2026-01-01T00:00:30.000Z","new":{"x":1},)" +
          R"("deadlineAt":"2026-01-01T00:30:00.000Z","checkpoint":null,)" +
          R"("lastError":{"code":"E","message":"m"},"createdAt":"2026-01-01T00:00:00.000Z"}]})"};
  const Result<std::vector<Lease>> leases = read_leases(reply);
  ASSERT_TRUE(leases) << leases.error().message;
  ASSERT_EQ(leases->size(), 1u);
  const Lease& lease = leases->front();
  EXPECT_EQ(lease.job, job);
  EXPECT_EQ(lease.token, token);
  EXPECT_EQ(lease.body.payload, "{\"a\": [1]}");
  EXPECT_EQ(lease.attempt, 2);
  EXPECT_EQ(lease.checkpoint, std::nullopt);
  ASSERT_TRUE(lease.last_error);
  EXPECT_EQ(lease.last_error->code, "E");
  EXPECT_EQ(lease.deadline_at - lease.lease_expires_at, Duration::seconds(1770));
}

TEST(Wire, DistinguishesARefusalFromAServerError) {
  const Command word = Complete{.job = job, .token = token};
  const auto lost = read_verdict(
      word, {.status = 409, .body = R"({"code":"LEASE_LOST","detail":"it is another's"})"});
  ASSERT_TRUE(lost);
  EXPECT_EQ(std::get<Refusal>(*lost).code, Code::lease_lost);
  for (const int status : {408, 429, 500, 503}) {
    const auto trouble = read_verdict(word, {.status = status, .body = R"({"code":"OVERLOADED"})"});
    EXPECT_FALSE(trouble) << status;
  }
  EXPECT_FALSE(read_verdict(word, {.status = 200, .body = "<html>"}));
  EXPECT_FALSE(read_verdict(word, {.status = 404, .body = "<html>"}));
}

TEST(Wire, SettlesManyJobsInOneRequest) {
  const Command done = Complete{.job = job, .token = token};
  const Command back = Release{.job = job, .token = token};
  EXPECT_TRUE(fits_batch(done));
  EXPECT_FALSE(fits_batch(Complete{.job = job, .token = token, .log = "x"}));
  EXPECT_FALSE(fits_batch(Release{.job = job, .token = token, .delay = Duration()}));
  const HttpCall call = call_for_batch({&done, &back});
  const std::string id = R"("jobId":")" + to_text(job) + R"(",)";
  EXPECT_EQ(call.path, "/leases/settle");
  EXPECT_EQ(call.body, R"({"outcomes":[{)" + id + token_member + R"(,"result":null},{)" + id +
                           token_member + R"(,"release":true}]})");
  const auto verdicts =
      read_verdicts({.status = 200,
                     .body = R"({"verdicts":[{)" + id + R"("status":"COMPLETED"},{)" + id +
                             R"("code":"LEASE_LOST"}]})"},
                    2);
  ASSERT_TRUE(verdicts);
  EXPECT_EQ(std::get<Settled>((*verdicts)[0]).status, Status::completed);
  EXPECT_EQ(std::get<Refusal>((*verdicts)[1]).code, Code::lease_lost);
  EXPECT_FALSE(read_verdicts({.status = 200, .body = R"({"verdicts":[]})"}, 2));
}

}  // namespace
}  // namespace longshore
