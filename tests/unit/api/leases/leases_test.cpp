#include "api/leases/routes.h"
#include "unit/api/api_harness.h"

namespace longshore {
namespace {

class PostLeases : public ApiTest {};
LONGSHORE_ON_EVERY_STORE(PostLeases);

void wait_for_polls(ApiHarness& harness, std::size_t count) {
  await(std::to_string(count) + " polls wait",
        [&] { return harness.node().engine().claims_waiting() == count; });
}

std::vector<std::string> jobs_of(const Reply& reply) {
  std::vector<std::string> jobs;
  for (const auto& lease : reply.json.at("leases").as_array()) {
    jobs.emplace_back(lease.at("jobId").as_string());
  }
  return jobs;
}

TEST_P(PostLeases, AnswersEverythingAWorkerNeeds) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue(R"("payload":{ "a":1 },"jobKey":"k","maxRetries":2,
      "metadata":{"m":"v"},"request":{"method":"GET"})");
  const Held first = harness.lease();
  const auto& lease = first.lease.as_object();
  std::string names;
  for (const auto& member : lease) names += std::string(member.key()) + ' ';
  EXPECT_EQ(names,
            "jobId jobType jobKey queue payload attempt failures maxRetries fence leaseToken "
            "leaseExpiresAt deadlineAt checkpoint lastError metadata request traceparent "
            "createdAt ");
  EXPECT_EQ(lease.at("jobId").as_string(), id);
  EXPECT_EQ(lease.at("jobType").as_string(), "t");
  EXPECT_EQ(lease.at("jobKey").as_string(), "k");
  EXPECT_EQ(lease.at("queue").as_string(), "default");
  EXPECT_EQ(lease.at("attempt").as_int64(), 1);
  EXPECT_EQ(lease.at("maxRetries").as_int64(), 2);
  EXPECT_EQ(lease.at("fence").as_int64(), 1);
  EXPECT_EQ(lease.at("leaseExpiresAt").as_string(), "2027-01-15T08:00:30.000Z");
  EXPECT_EQ(lease.at("deadlineAt").as_string(), "2027-01-15T08:30:00.000Z");
  EXPECT_TRUE(lease.at("checkpoint").is_null());
  EXPECT_TRUE(lease.at("lastError").is_null());
  EXPECT_EQ(lease.at("metadata").at("m").as_string(), "v");
  harness.report(first, "heartbeat", R"("checkpoint":[1])");
  harness.report(first, "fail",
                 R"("retryAfterSeconds":0,"error":{"code":"E","message":"m","details":{"d":1}})");
  const Held second = harness.lease();
  EXPECT_EQ(second.lease.at("attempt").as_int64(), 2);
  EXPECT_EQ(second.lease.at("failures").as_int64(), 1);
  EXPECT_EQ(second.lease.at("fence").as_int64(), 2);
  EXPECT_EQ(boost::json::serialize(second.lease.at("checkpoint")), "[1]");
  EXPECT_EQ(boost::json::serialize(second.lease.at("lastError")),
            R"({"code":"E","message":"m","details":{"d":1}})");
}

TEST_P(PostLeases, ReturnsPayloadsByteForByte) {
  ApiHarness harness(on_store());
  harness.enqueue(R"("payload":{ "z" : 1.0e2,"z":[ ] })");
  const Reply reply = harness.post("/leases", R"({"workerId":"w"})");
  EXPECT_NE(reply.text.find(R"("payload":{ "z" : 1.0e2,"z":[ ] },)"), std::string::npos);
}

TEST_P(PostLeases, AnswersAtOnceWithoutAWait) {
  ApiHarness harness(on_store());
  EXPECT_EQ(harness.post("/leases", R"({"workerId":"w"})").text, R"({"leases":[]})");
}

TEST_P(PostLeases, FollowsTheOrderOfQueuesAndFiltersByType) {
  ApiHarness harness(on_store());
  const std::string low = harness.enqueue(R"("queue":"low")");
  const std::string high = harness.enqueue(R"("queue":"high")");
  const std::string other = harness.enqueue(R"("queue":"high","jobType":"u")");
  const Reply reply = harness.post(
      "/leases", R"({"workerId":"w","queues":["high","low"],"jobTypes":["t"],"maxJobs":10})");
  EXPECT_EQ(jobs_of(reply), (std::vector<std::string>{high, low}));
  EXPECT_EQ(harness.lease(R"("queues":["low","high"])").job, other);
}

TEST_P(PostLeases, WaitsForTheFirstJobOldestPollFirst) {
  ApiHarness harness(on_store());
  const auto first = harness.begin("POST", "/leases", R"({"workerId":"a","waitSeconds":60})");
  wait_for_polls(harness, 1);
  const auto second = harness.begin("POST", "/leases", R"({"workerId":"b","waitSeconds":60})");
  wait_for_polls(harness, 2);
  const std::string one = harness.enqueue();
  EXPECT_EQ(jobs_of(harness.finish(first)), std::vector{one});
  EXPECT_FALSE(second->answered());
  const std::string two = harness.enqueue();
  EXPECT_EQ(jobs_of(harness.finish(second)), std::vector{two});
}

TEST_P(PostLeases, AnswersEmptyAfterTheWait) {
  ApiHarness harness(on_store());
  const auto exchange = harness.begin("POST", "/leases", R"({"workerId":"w","waitSeconds":2})");
  wait_for_polls(harness, 1);
  harness.time().advance(Duration::seconds(2));
  EXPECT_EQ(harness.finish(exchange).text, R"({"leases":[]})");
}

TEST_P(PostLeases, ForgetsAWorkerThatDisconnected) {
  ApiHarness harness(on_store());
  const auto gone = harness.begin("POST", "/leases", R"({"workerId":"a","waitSeconds":60})");
  wait_for_polls(harness, 1);
  gone->hang_up();
  wait_for_polls(harness, 0);
  const std::string id = harness.enqueue();
  EXPECT_EQ(harness.lease().job, id);
  EXPECT_EQ(harness.record(id).job.attempt, 1);
}

TEST_P(PostLeases, ReleasesLeasesThatWereNotDelivered) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue(R"("maxRetries":0)");
  harness.enqueue();
  const auto exchange = harness.begin("POST", "/leases", R"({"workerId":"a","waitSeconds":1})");
  exchange->wait();
  const Held mine = harness.lease(R"("requestId":"other")");
  EXPECT_NE(mine.job, id);
  // Worker a still holds the first; now a connection breaks.
  harness.enqueue();
  auto breaking = std::make_shared<TestExchange>(
      HttpRequest{.method = "POST",
                  .target = "/leases",
                  .headers = {{"Host", "localhost"}, {"Content-Type", "application/json"}},
                  .body = R"({"workerId":"c"})"});
  breaking->break_while_writing();
  harness.api().handle(breaking);
  breaking->wait();
  const Held again = harness.lease(R"("waitSeconds":60)");
  EXPECT_EQ(again.lease.at("failures").as_int64(), 0);
  EXPECT_EQ(again.lease.at("attempt").as_int64(), 2);
  EXPECT_EQ(harness.record(again.job).job.crashes, 0);
}

TEST_P(PostLeases, AnswersTheSameLeasesToTheSameRequestId) {
  ApiHarness harness(on_store());
  harness.enqueue();
  harness.enqueue();
  const std::string body = R"({"workerId":"w","requestId":"r-1"})";
  const Reply first = harness.post("/leases", body);
  const Reply again = harness.post("/leases", body);
  EXPECT_EQ(again.text, first.text);
  const Reply other = harness.post("/leases", R"({"workerId":"x","requestId":"r-1"})");
  EXPECT_NE(jobs_of(other), jobs_of(first));
  harness.report(
      {.job = jobs_of(first)[0],
       .token = std::string(first.json.at("leases").as_array()[0].at("leaseToken").as_string())},
      "complete");
  EXPECT_EQ(harness.post("/leases", body).text, R"({"leases":[]})");
}

TEST(PostLeasesTokens, CannotBeGuessedFromTheRequestId) {
  const auto token_with = [](const std::string& secret) {
    HarnessOptions options;
    options.api.secret = secret;
    ApiHarness harness(options);
    harness.enqueue();
    return harness.lease(R"("requestId":"1")").token;
  };
  EXPECT_EQ(token_with("secret"), token_with("secret")) << "any node can answer a repeat";
  EXPECT_NE(token_with("secret"), token_with("another"));
  EXPECT_NE(token_with("secret"), token_with(""));
}

TEST_P(PostLeases, ReplacesAPollByItsRepeat) {
  ApiHarness harness(on_store());
  const std::string body = R"({"workerId":"w","requestId":"r","waitSeconds":60})";
  const auto first = harness.begin("POST", "/leases", body);
  wait_for_polls(harness, 1);
  const auto second = harness.begin("POST", "/leases", body);
  EXPECT_EQ(harness.finish(first).text, R"({"leases":[]})");
  const std::string id = harness.enqueue();
  EXPECT_EQ(jobs_of(harness.finish(second)), std::vector{id});
  EXPECT_EQ(harness.state(id), "RUNNING");
}

const std::string named_poll_body = R"({"workerId":"w","requestId":"r","waitSeconds":60})";

TEST_P(PostLeases, KeepsALeaseForARepeatWhenTheFirstPollDisconnected) {
  HarnessOptions options = on_store();
  options.trouble = std::make_shared<Trouble>();
  ApiHarness harness(options);
  const std::string id = harness.enqueue();
  options.trouble->hold(true);
  const auto first = harness.begin("POST", "/leases", named_poll_body);
  options.trouble->wait_for_commit();
  first->hang_up();
  const auto second = harness.begin("POST", "/leases", named_poll_body);
  options.trouble->hold(false);
  const Reply reply = harness.finish(second);
  ASSERT_EQ(jobs_of(reply), std::vector{id});
  harness.node().ask(Due{}).value();  // all earlier commands are committed
  EXPECT_EQ(harness.state(id), "RUNNING");
  EXPECT_EQ(harness.record(id).job.attempt, 1);
}

TEST_P(PostLeases, ReleasesLeasesThatNoRepeatDelivered) {
  HarnessOptions options = on_store();
  options.trouble = std::make_shared<Trouble>();
  ApiHarness harness(options);
  const std::string id = harness.enqueue();
  options.trouble->hold(true);
  const auto first = harness.begin("POST", "/leases", named_poll_body);
  options.trouble->wait_for_commit();
  const auto second = harness.begin("POST", "/leases", named_poll_body);
  first->hang_up();
  second->hang_up();
  options.trouble->hold(false);
  const Held again = harness.lease(R"("waitSeconds":60)");
  EXPECT_EQ(again.job, id);
  EXPECT_EQ(harness.record(id).job.crashes, 0);
}

TEST_P(PostLeases, KeepsALeaseOfTheFirstPollWhenTheRepeatIsLost) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue();
  const Reply first = harness.post("/leases", named_poll_body);
  ASSERT_EQ(jobs_of(first), std::vector{id});
  auto breaking = std::make_shared<TestExchange>(
      HttpRequest{.method = "POST",
                  .target = "/leases",
                  .headers = {{"Host", "localhost"}, {"Content-Type", "application/json"}},
                  .body = named_poll_body});
  breaking->break_while_writing();
  harness.api().handle(breaking);
  breaking->wait();
  harness.node().ask(Due{}).value();
  EXPECT_EQ(harness.state(id), "RUNNING");
  EXPECT_EQ(harness.record(id).job.attempt, 1);
}

TEST_P(PostLeases, AnswersAPollWhenItsQueueIsResumed) {
  ApiHarness harness(on_store());
  harness.post("/queues/default/pause");
  const std::string id = harness.enqueue();
  const auto poll = harness.begin("POST", "/leases", R"({"workerId":"w","waitSeconds":60})");
  wait_for_polls(harness, 1);
  harness.post("/queues/default/resume");
  EXPECT_EQ(jobs_of(harness.finish(poll)), std::vector{id}) << "and no time has passed";
}

TEST_P(PostLeases, RecordsTheWorker) {
  ApiHarness harness(on_store());
  harness.post("/leases", R"({"workerId":"w","queues":["q"],"jobTypes":["t"],
      "worker":{"slots":4,"host":"h","version":"1.2"}})");
  harness.node().ask(Due{}).value();
  const auto workers = harness.node().catalog().workers("default").value();
  ASSERT_EQ(workers.size(), 1U);
  EXPECT_EQ(workers[0].info.worker, "w");
  EXPECT_EQ(workers[0].info.slots, 4);
  EXPECT_EQ(workers[0].info.host, "h");
  EXPECT_EQ(workers[0].info.types, std::vector<std::string>{"t"});
}

// On a store with two concurrent commits, a worker's claim may overtake its report.
TEST_P(PostLeases, AreAnsweredAfterTheWorkerIsRecorded) {
  HarnessOptions options = on_store();
  options.trouble = std::make_shared<Trouble>();
  options.trouble->only_sightings();
  ApiHarness harness(options);
  const auto known = [&] { return harness.node().catalog().workers("default")->size(); };
  options.trouble->hold(true);
  const auto first = harness.begin("POST", "/leases", R"({"workerId":"w"})");
  options.trouble->wait_for_commit();
  const auto second = harness.begin("POST", "/leases", R"({"workerId":"w"})");
  // Queued behind the claims: they are answered before it.
  harness.node().ask(Due{}).value();
  EXPECT_EQ(known(), 0U);
  EXPECT_FALSE(first->answered());
  EXPECT_FALSE(second->answered()) << "its worker is being reported";
  options.trouble->hold(false);
  EXPECT_EQ(harness.finish(first).status, 200);
  EXPECT_EQ(known(), 1U);
  EXPECT_EQ(harness.finish(second).status, 200);
}

TEST_P(PostLeases, ReportAWorkerAgainAfterAFailure) {
  HarnessOptions options = on_store();
  options.trouble = std::make_shared<Trouble>();
  options.trouble->only_sightings();
  ApiHarness harness(options);
  options.trouble->fail_with(Error{Errc::overloaded, "not now"});
  harness.post("/leases", R"({"workerId":"w"})");
  options.trouble->fail_with(std::nullopt);
  EXPECT_EQ(harness.post("/leases", R"({"workerId":"w"})").status, 200);
  EXPECT_EQ(harness.node().catalog().workers("default")->size(), 1U);
}

TEST_P(PostLeases, StopsBeforeSixteenMebibytes) {
  ApiHarness harness(on_store());
  const std::string payload = '"' + std::string(1000 * 1000, 'x') + '"';
  for (int i = 0; i < 18; ++i) harness.enqueue(R"("payload":)" + payload);
  const Reply reply = harness.post("/leases", R"({"workerId":"w","maxJobs":18})");
  EXPECT_LT(reply.text.size(), 16U * 1024 * 1024);
  EXPECT_GE(jobs_of(reply).size(), 13U);
  const Reply rest = harness.post("/leases", R"({"workerId":"w","maxJobs":18})");
  EXPECT_EQ(jobs_of(reply).size() + jobs_of(rest).size(), 18U);
}

TEST_P(PostLeases, AnswersPollsEmptyWhenTheServerStops) {
  ApiHarness harness(on_store());
  const auto exchange = harness.begin("POST", "/leases", R"({"workerId":"w","waitSeconds":60})");
  wait_for_polls(harness, 1);
  harness.api().drain();
  EXPECT_EQ(harness.finish(exchange).text, R"({"leases":[]})");
  const Reply later = harness.post("/leases", R"({"workerId":"w"})");
  EXPECT_EQ(later.status, 503);
  EXPECT_EQ(later.code(), "OVERLOADED");
  EXPECT_EQ(later.header("Retry-After"), "1");
}

TEST(PostLeasesStrictness, NamesEveryFieldThatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({})", "workerId"},
      {R"({"workerId":""})", "workerId"},
      {R"({"workerId":"system"})", "workerId"},
      {R"({"workerId":"external"})", "workerId"},
      {R"({"workerId":"w","queues":[]})", "queues"},
      {R"({"workerId":"w","queues":"default"})", "queues"},
      {R"({"workerId":"w","queues":["a","b c"]})", "queues[1]"},
      {R"({"workerId":"w","jobTypes":[]})", "jobTypes"},
      {R"({"workerId":"w","jobTypes":["a","/"]})", "jobTypes[1]"},
      {R"({"workerId":"w","maxJobs":0})", "maxJobs"},
      {R"({"workerId":"w","maxJobs":1001})", "maxJobs"},
      {R"({"workerId":"w","waitSeconds":60.5})", "waitSeconds"},
      {R"({"workerId":"w","waitSeconds":-1})", "waitSeconds"},
      {R"({"workerId":"w","leaseSeconds":0})", "leaseSeconds"},
      {R"({"workerId":"w","leaseSeconds":86401})", "leaseSeconds"},
      {R"({"workerId":"w","requestId":""})", "requestId"},
      {R"({"workerId":"w","worker":{"slots":-1}})", "worker.slots"},
      {R"({"workerId":"w","worker":{"host":5}})", "worker.host"},
  };
  ApiHarness harness;
  for (const auto& [body, fields] : cases) {
    SCOPED_TRACE(body);
    const Reply reply = harness.post("/leases", body);
    EXPECT_EQ(reply.status, 422);
    EXPECT_EQ(reply.code(), "INVALID_FIELD");
    EXPECT_EQ(reply.fields(), fields);
  }
  EXPECT_EQ(harness.post("/leases", R"({"workerId":"w","limit":1})").code(), "UNKNOWN_FIELD");
}

TEST(PostLeasesStrictness, RespectsTheProfilesLimit) {
  HarnessOptions options;
  options.rules.claim_limit = 10;
  ApiHarness harness(options);
  EXPECT_EQ(harness.post("/leases", R"({"workerId":"w","maxJobs":10})").status, 200);
  EXPECT_EQ(harness.post("/leases", R"({"workerId":"w","maxJobs":11})").fields(), "maxJobs");
}

}  // namespace
}  // namespace longshore
