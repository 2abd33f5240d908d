#include "api/jobs/routes.h"
#include "core/ids/uuid.h"
#include "must.h"
#include "unit/api/api_harness.h"

namespace longshore {
namespace {

class PostJob : public ApiTest {};
LONGSHORE_ON_EVERY_STORE(PostJob);

TEST_P(PostJob, AnswersWithTheJobAndItsLocation) {
  ApiHarness harness(on_store());
  const Reply reply = harness.post("/jobs", R"({"jobType":"mail.send"})");
  EXPECT_EQ(reply.status, 202);
  EXPECT_EQ(reply.content_type, "application/json");
  EXPECT_EQ(reply.at("status"), "PENDING");
  EXPECT_EQ(reply.header("Location"), "/jobs/" + reply.at("jobId"));
  EXPECT_EQ(reply.text, R"({"jobId":")" + reply.at("jobId") + R"(","status":"PENDING"})");
  EXPECT_EQ(harness.state(reply.at("jobId")), "QUEUED");
}

TEST_P(PostJob, RefusesASecretThatMayNotSignTheCallback) {
  HarnessOptions options = on_store();
  must(options.api.secrets.add("shops", {.ns = "shop", .urls = {"https://example.org"}}));
  ApiHarness harness(std::move(options));
  const struct {
    const char *url, *name, *field;
  } cases[] = {{"https://example.org/x", "absent", "callback.secretName"},
               {"https://example.org/x", "shops", "callback.secretName"},
               {"https://example.org.evil/x", "s", "callback.url"}};
  for (const auto& c : cases) {
    const std::string job = std::string(R"({"jobType":"t","callback":{"url":")") + c.url +
                            R"(","secretName":")" + c.name + R"("}})";
    const Reply reply = harness.post("/jobs", job);
    EXPECT_EQ(reply.code(), "INVALID_FIELD") << job;
    EXPECT_EQ(reply.fields(), c.field) << job;
    const Reply batch = harness.post("/jobs/batch", R"({"jobs":[{"jobType":"t"},)" + job + "]}");
    EXPECT_EQ(batch.status, 422) << job;
    EXPECT_EQ(batch.fields(), std::string("jobs[1].") + c.field) << job;
  }
}

TEST_P(PostJob, KeepsEveryField) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue(R"("payload": {"a" : [1, 2.50] },"idempotencyKey":"i",
      "jobKey":"k","queue":"q","priority":0,"runAt":"2030-01-01T02:00:00+02:00",
      "expiresAt":"2030-01-02T00:00:00Z","maxRetries":7,"timeoutSeconds":1.5,
      "backoff":{"kind":"fixed","baseSeconds":3,"maxSeconds":9.5,"jitter":0.25},
      "tags":["a","b"],"metadata":{ "m":"1" },
      "callback":{"url":"https://example.org/x","secretName":"s"},
      "request":{"method":"GET","path":"/x","headers":{"h":["1","2"]},"routeParams":{"r":[1]},
                 "queryParams":[{"name":"n","values":["v"]}]})");
  const JobRecord record = harness.record(id);
  EXPECT_EQ(record.body.payload, R"({"a" : [1, 2.50] })");
  EXPECT_EQ(record.body.metadata, R"({ "m":"1" })");
  EXPECT_TRUE(record.body.request.starts_with(R"({"method":"GET")"));
  EXPECT_EQ(record.body.tags, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(record.job.idempotency_key, "i");
  EXPECT_EQ(record.job.job_key, "k");
  EXPECT_EQ(record.job.queue, "q");
  EXPECT_EQ(record.job.priority, 0);
  EXPECT_EQ(record.job.run_at, Instant::millis(1'893'456'000'000));
  EXPECT_EQ(record.job.expires_at, Instant::millis(1'893'542'400'000));
  EXPECT_EQ(record.job.policy.max_retries, 7);
  EXPECT_EQ(record.job.policy.timeout, Duration::millis(1500));
  EXPECT_EQ(record.job.policy.backoff,
            (Backoff{Backoff::Kind::fixed, Duration::seconds(3), Duration::millis(9500), 0.25}));
  EXPECT_EQ(record.job.callback, (Callback{"https://example.org/x", "s"}));
  EXPECT_EQ(record.job.state, State::scheduled);
}

TEST_P(PostJob, StoresTheTraceOfItsRequestForTheWorker) {
  ApiHarness harness(on_store());
  const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  harness.post("/jobs", R"({"jobType":"t"})", {{"traceparent", trace}});
  EXPECT_EQ(harness.lease().lease.at("traceparent").as_string(), trace);
  harness.post("/jobs", R"({"jobType":"t"})", {{"traceparent", "nonsense"}});
  EXPECT_TRUE(harness.lease().lease.at("traceparent").is_null());
}

TEST_P(PostJob, AcceptsAnIdFromTheClientAndAnswersARepeatTheSame) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue();  // valid now; used by a job of another type below
  SeededRandom random(7);
  const std::string mine = to_text(JobIds(random).next(harness.time().now()));
  const std::string body = R"({"jobType":"t","jobId":")" + mine + R"("})";
  const Reply first = harness.post("/jobs", body);
  EXPECT_EQ(first.status, 202) << first.text;
  EXPECT_EQ(first.at("jobId"), mine);
  const Reply again = harness.post("/jobs", body);
  EXPECT_EQ(again.text, first.text);
  EXPECT_EQ(again.status, 202);
  EXPECT_EQ(again.header("Location"), "/jobs/" + mine);

  const Reply taken = harness.post("/jobs", R"({"jobType":"u","jobId":")" + id + R"("})");
  EXPECT_EQ(taken.status, 409);
  EXPECT_EQ(taken.code(), "ID_IN_USE");
  EXPECT_EQ(taken.at("jobId"), id);
  EXPECT_EQ(taken.fields(), "jobId");
  const Reply batch = harness.post(
      "/jobs/batch", R"({"jobs":[{"jobType":"u"},{"jobType":"u","jobId":")" + id + R"("}]})");
  EXPECT_EQ(batch.code(), "ID_IN_USE");
  EXPECT_EQ(batch.fields(), "jobs[1].jobId");
}

TEST_P(PostJob, RefusesAnIdWhoseTimeIsNotNow) {
  ApiHarness harness(on_store());
  SeededRandom random(7);
  const Duration day = Duration::hours(24);
  const Instant now = harness.time().now();
  for (const std::string& bad :
       {to_text(JobIds(random).next(now + day + Duration::seconds(1))),
        to_text(JobIds(random).next(now - day - Duration::seconds(1))),
        std::string("0190a8f0-0000-4000-8000-000000000000"), std::string("mine"), std::string()}) {
    SCOPED_TRACE(bad);
    const Reply reply = harness.post("/jobs", R"({"jobType":"t","jobId":")" + bad + R"("})");
    EXPECT_EQ(reply.status, 422);
    EXPECT_EQ(reply.code(), "INVALID_FIELD");
    EXPECT_EQ(reply.fields(), "jobId");
  }
  EXPECT_EQ(harness.post("/jobs", R"({"jobType":"t","jobId":7})").fields(), "jobId");
}

TEST_P(PostJob, AnswersARepeatedIdempotencyKeyWithTheFirstJob) {
  ApiHarness harness(on_store());
  const Reply first = harness.post("/jobs", R"({"jobType":"t","idempotencyKey":"k"})");
  const Reply again =
      harness.post("/jobs", R"({"jobType":"u","priority":1})", {{"Idempotency-Key", "k"}});
  EXPECT_EQ(again.status, 202);
  EXPECT_EQ(again.text, first.text);
  EXPECT_EQ(again.header("Location"), first.header("Location"));
  harness.report(harness.lease(), "complete");
  const Reply later = harness.post("/jobs", R"({"jobType":"t","idempotencyKey":"k"})");
  EXPECT_EQ(later.at("jobId"), first.at("jobId"));
  EXPECT_EQ(later.at("status"), "COMPLETED");
}

TEST_P(PostJob, RefusesAnotherBodyUnderAKnownKeyIfConfigured) {
  HarnessOptions options;
  options.api.reject_mismatch = true;
  ApiHarness harness(on_store(options));
  const std::string id = harness.enqueue(R"("idempotencyKey":"k","payload":1)");
  EXPECT_EQ(harness.enqueue(R"("payload": 1 ,"idempotencyKey":"k")"), id);
  for (const std::string other : {R"("payload":2)", R"("payload":1,"priority":1)",
                                  R"("payload":1,"maxRetries":1)", R"("payload":1,"tags":["x"])"}) {
    SCOPED_TRACE(other);
    const Reply reply =
        harness.post("/jobs", R"({"jobType":"t","idempotencyKey":"k",)" + other + "}");
    EXPECT_EQ(reply.status, 422);
    EXPECT_EQ(reply.code(), "IDEMPOTENCY_MISMATCH");
    EXPECT_EQ(reply.fields(), "idempotencyKey");
  }
}

TEST_P(PostJob, HandlesALiveJobOfTheSameKeyAsRequested) {
  ApiHarness harness(on_store());
  const std::string id = harness.enqueue(R"("jobKey":"k")");
  EXPECT_EQ(harness.enqueue(R"("jobKey":"k")"), id);
  EXPECT_NE(harness.enqueue(R"("jobKey":"k","jobType":"other")"), id);
  const Reply refused =
      harness.post("/jobs", R"({"jobType":"t","jobKey":"k","onConflict":"reject"})");
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.code(), "KEY_IN_USE");
  EXPECT_EQ(refused.at("jobId"), id);
  EXPECT_EQ(harness.enqueue(R"("jobKey":"k","onConflict":"replace","payload":2)"), id);
  EXPECT_EQ(harness.record(id).body.payload, "2");
  harness.lease(R"("jobTypes":["t"])");
  const Reply started =
      harness.post("/jobs", R"({"jobType":"t","jobKey":"k","onConflict":"replace"})");
  EXPECT_EQ(started.status, 409);
  EXPECT_EQ(started.code(), "KEY_IN_USE");
}

TEST_P(PostJob, RefusesAnEndBeforeTheStart) {
  ApiHarness harness(on_store());
  const Reply reply = harness.post(
      "/jobs", R"({"jobType":"t","delaySeconds":10,"expiresAt":"2027-01-15T08:00:05Z"})");
  EXPECT_EQ(reply.status, 422);
  EXPECT_EQ(reply.fields(), "expiresAt");
}

TEST_P(PostJob, AnswersAfterTheFirstOfTwoPhasesAndAcceptsTheJobAfterwards) {
  HarnessOptions options;
  options.rules.accept = Rules::Accept::two_phase;
  ApiHarness harness(on_store(options));
  const std::string id = harness.enqueue();
  // The second commit follows the first; later requests see it.
  EXPECT_EQ(harness.lease(R"("waitSeconds":60)").job, id);
  const JobRecord record = harness.record(id);
  EXPECT_EQ(record.history[0].to, State::created);
  EXPECT_EQ(record.history[1].cause, Cause::accept);
}

TEST_P(PostJob, ResolvesThePolicyFromTypeAndQueue) {
  HarnessOptions options;
  options.open.type_policies["t"].max_retries = 9;
  options.open.queue_policies["q"].max_retries = 8;
  options.open.queue_policies["q"].timeout = Duration::seconds(5);
  ApiHarness harness(on_store(options));
  const JobRecord record = harness.record(harness.enqueue(R"("queue":"q")"));
  EXPECT_EQ(record.job.policy.max_retries, 9);
  EXPECT_EQ(record.job.policy.timeout, Duration::seconds(5));
}

TEST(PostJobStrictness, NamesEveryFieldThatIsWrong) {
  const std::string long_name(129, 'a');
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({})", "jobType"},
      {R"({"jobType":""})", "jobType"},
      {R"({"jobType":7})", "jobType"},
      {R"({"jobType":null})", "jobType"},
      {R"({"jobType":"a b"})", "jobType"},
      {R"({"jobType":"longshore.x"})", "jobType"},
      {R"({"jobType":"_x"})", "jobType"},
      {R"({"jobType":")" + long_name + R"("})", "jobType"},
      {R"({"jobType":"t","queue":"a/b"})", "queue"},
      {R"({"jobType":"t","priority":10})", "priority"},
      {R"({"jobType":"t","priority":-1})", "priority"},
      {R"({"jobType":"t","priority":1.5})", "priority"},
      {R"({"jobType":"t","priority":"1"})", "priority"},
      {R"({"jobType":"t","priority":null})", "priority"},
      {R"({"jobType":"t","priority":99999999999999999999999})", "priority"},
      {R"({"jobType":"t","idempotencyKey":""})", "idempotencyKey"},
      {R"({"jobType":"t","jobKey":""})", "jobKey"},
      {R"({"jobType":"t","jobKey":"a\u0000"})", "jobKey"},
      {R"({"jobType":"t","jobKey":")" + std::string(256, 'k') + R"("})", "jobKey"},
      {R"({"jobType":"t","onConflict":"maybe"})", "onConflict"},
      {R"({"jobType":"t","runAt":"tomorrow"})", "runAt"},
      {R"({"jobType":"t","runAt":5})", "runAt"},
      {R"({"jobType":"t","delaySeconds":-1})", "delaySeconds"},
      {R"({"jobType":"t","delaySeconds":1e300})", "delaySeconds"},
      {R"({"jobType":"t","delaySeconds":1,"runAt":"2030-01-01T00:00:00Z"})", "delaySeconds"},
      {R"({"jobType":"t","expiresAt":"2030-01-01T00:00:00Z","runAt":"2031-01-01T00:00:00Z"})",
       "expiresAt"},
      {R"({"jobType":"t","maxRetries":101})", "maxRetries"},
      {R"({"jobType":"t","maxRetries":-1})", "maxRetries"},
      {R"({"jobType":"t","timeoutSeconds":0})", "timeoutSeconds"},
      {R"({"jobType":"t","timeoutSeconds":-5})", "timeoutSeconds"},
      {R"({"jobType":"t","backoff":[]})", "backoff"},
      {R"({"jobType":"t","backoff":{"kind":"wild"}})", "backoff.kind"},
      {R"({"jobType":"t","backoff":{"jitter":2,"baseSeconds":-1}})",
       "backoff.baseSeconds backoff.jitter"},
      {R"({"jobType":"t","tags":"a"})", "tags"},
      {R"({"jobType":"t","tags":["a",""]})", "tags[1]"},
      {R"({"jobType":"t","tags":[1,"a",null]})", "tags[0] tags[2]"},
      {R"({"jobType":"t","tags":["1","2","3","4","5","6","7","8","9","10","11","12","13","14","15",
           "16","17"]})",
       "tags"},
      {R"({"jobType":"t","metadata":{"a":1}})", "metadata.a"},
      {R"({"jobType":"t","metadata":"x"})", "metadata"},
      {R"({"jobType":"t","metadata":{"a":")" + std::string(16 * 1024, 'x') + R"("}})", "metadata"},
      {R"({"jobType":"t","callback":{}})", "callback.url"},
      {R"({"jobType":"t","callback":{"url":"ftp://x"}})", "callback.url"},
      {R"({"jobType":"t","callback":{"url":"https://"}})", "callback.url"},
      {R"({"jobType":"t","request":{"headers":{"a":"b"}}})", "request.headers.a"},
      {R"({"jobType":"t","request":{"queryParams":[{"name":"a"}]}})",
       "request.queryParams[0].values"},
      {R"({"jobType":"t","request":{"path":")" + std::string(65 * 1024, 'x') + R"("}})", "request"},
      {R"({"queue":"","priority":77})", "jobType queue priority"},
  };
  ApiHarness harness;
  for (const auto& [body, fields] : cases) {
    SCOPED_TRACE(body.substr(0, 200));
    const Reply reply = harness.post("/jobs", body);
    EXPECT_EQ(reply.status, 422);
    EXPECT_EQ(reply.code(), "INVALID_FIELD");
    EXPECT_EQ(reply.fields(), fields);
  }
}

TEST(PostJobStrictness, NamesFieldsThatDoNotExist) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {R"({"jobType":"t","nope":1})", "nope"},
      {R"({"jobType":"t","jobtype":"t"})", "jobtype"},
      {R"({"jobType":"t","backoff":{"base":1}})", "backoff.base"},
      {R"({"jobType":"t","callback":{"url":"http://h/","secret":"s"}})", "callback.secret"},
      {R"({"jobType":"t","request":{"body":"x"}})", "request.body"},
      {R"({"jobType":"t","id":"x","worker":1})", "id worker"},
  };
  ApiHarness harness;
  for (const auto& [body, fields] : cases) {
    SCOPED_TRACE(body);
    const Reply reply = harness.post("/jobs", body);
    EXPECT_EQ(reply.status, 422);
    EXPECT_EQ(reply.code(), "UNKNOWN_FIELD");
    EXPECT_EQ(reply.fields(), fields);
  }
}

TEST(PostJobStrictness, AcceptsValuesAtTheLimits) {
  const std::string payload = '"' + std::string(1024 * 1024 - 2, 'x') + '"';
  const std::string deep = std::string(64, '[') + std::string(64, ']');
  const std::vector<std::string> cases = {
      R"("payload":)" + payload,
      R"("payload":)" + deep,
      R"("priority":9,"maxRetries":100)",
      R"("priority":0.0,"maxRetries":0)",
      R"("timeoutSeconds":0.001,"delaySeconds":0)",
      R"("jobKey":")" + std::string(255, 'k') + '"',
      R"("tags":[],"metadata":{},"backoff":{},"request":{})",
      R"("runAt":"1999-12-31T23:59:59Z")",
      R"("payload":{"a":1,"a":2})",
  };
  ApiHarness harness;
  for (const std::string& members : cases) {
    SCOPED_TRACE(members.substr(0, 100));
    EXPECT_NE(harness.enqueue(members), "");
  }
}

TEST(PostJobStrictness, DistinguishesTooLargeFromTooDeep) {
  ApiHarness harness;
  const Reply large = harness.post(
      "/jobs", R"({"jobType":"t","payload":")" + std::string(1024 * 1024, 'x') + R"("})");
  EXPECT_EQ(large.status, 413);
  EXPECT_EQ(large.code(), "TOO_LARGE");
  EXPECT_EQ(large.fields(), "payload");
  const Reply deep = harness.post(
      "/jobs", R"({"jobType":"t","payload":)" + std::string(65, '[') + std::string(65, ']') + "}");
  EXPECT_EQ(deep.status, 422);
  EXPECT_EQ(deep.code(), "INVALID_FIELD");
  EXPECT_EQ(deep.fields(), "payload");
}

TEST(PostJobStrictness, RefusesTwoKeysThatDiffer) {
  ApiHarness harness;
  const std::string body = R"({"jobType":"t","idempotencyKey":"a"})";
  EXPECT_EQ(harness.post("/jobs", body, {{"Idempotency-Key", "a"}}).status, 202);
  const Reply reply = harness.post("/jobs", body, {{"Idempotency-Key", "b"}});
  EXPECT_EQ(reply.status, 422);
  EXPECT_EQ(reply.fields(), "idempotencyKey");
  const std::string long_key(256, 'k');
  EXPECT_EQ(harness.post("/jobs", R"({"jobType":"t"})", {{"Idempotency-Key", long_key}}).status,
            422);
  const std::string bare = R"({"jobType":"t"})";
  const Reply twice =
      harness.post("/jobs", bare, {{"Idempotency-Key", "a"}, {"idempotency-KEY", "c"}});
  EXPECT_EQ(twice.status, 422);
  EXPECT_EQ(twice.fields(), "Idempotency-Key");
  const Reply same =
      harness.post("/jobs", bare, {{"Idempotency-Key", "a"}, {"Idempotency-Key", "a"}});
  EXPECT_EQ(same.status, 202);
}

TEST(PostJobStrictness, NamesTheResolutionOfTimes) {
  ApiHarness harness;
  const Reply reply = harness.post("/jobs", R"({"jobType":"t","timeoutSeconds":0.0004})");
  EXPECT_EQ(reply.fields(), "timeoutSeconds");
  EXPECT_NE(reply.text.find("with millisecond resolution"), std::string::npos);
}

}  // namespace
}  // namespace longshore
