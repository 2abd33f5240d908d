#include "longshore/client.h"

#include <gtest/gtest.h>

#include <thread>

#include "longshore/testing.h"
#include "unit/worker/event.h"

namespace longshore {
namespace {

using testing::Harbour;

struct Greet {
  static constexpr std::string_view job_type = "greet";
  std::string name;
  int times = 1;
  LONGSHORE_ARGS(name, times)
};

class ClientTest : public ::testing::Test {
 protected:
  Lease claim() { return leases->claim({}, Duration()).value().at(0); }
  void complete(const Lease& lease, const std::string& result = "null") {
    const auto told =
        leases->tell({Complete{.job = lease.job, .token = lease.token, .result = result}});
    EXPECT_TRUE(std::holds_alternative<Settled>(told.value().at(0)));
  }

  Harbour harbour;
  Client client = harbour.client();
  std::shared_ptr<Leases> leases = harbour.longshore().leases();
};

TEST_F(ClientTest, WritesTypedArgumentsAsJson) {
  const EnqueuedJob job = client.enqueue(Greet{.name = "Ada", .times = 2}).value();
  EXPECT_TRUE(job.fresh);
  EXPECT_EQ(job.status, Status::pending);
  const JobRecord record = client.get(job.id).value();
  EXPECT_EQ(record.job.type, "greet");
  EXPECT_EQ(record.body.payload, R"({"name":"Ada","times":2})");
}

TEST_F(ClientTest, KeepsAPayloadByteForByte) {
  const std::string payload = "{ \"b\" : 1e2,\n\"a\":[ ] }";
  const EnqueuedJob job = client.enqueue({.type = "T", .payload = payload}).value();
  EXPECT_EQ(client.get(job.id)->body.payload, payload);
}

TEST_F(ClientTest, SendsEveryOption) {
  const Instant later = harbour.now() + Duration::minutes(5);
  const EnqueuedJob job = client
                              .enqueue(Greet{}, {.queue = "mail",
                                                 .priority = 2,
                                                 .run_at = later,
                                                 .expires_at = later + Duration::hours(1),
                                                 .job_key = "k",
                                                 .idempotency_key = "i",
                                                 .tags = {"red", "blue"},
                                                 .metadata = {{"who", "A\"B"}},
                                                 .traceparent = "00-1-2-00"})
                              .value();
  const JobRecord record = client.get(job.id).value();
  EXPECT_EQ(record.job.state, State::scheduled);
  EXPECT_EQ(record.job.queue, "mail");
  EXPECT_EQ(record.job.priority, 2);
  EXPECT_EQ(record.job.run_at, later);
  EXPECT_EQ(record.job.expires_at, later + Duration::hours(1));
  EXPECT_EQ(record.job.job_key, "k");
  EXPECT_EQ(record.job.idempotency_key, "i");
  EXPECT_EQ(record.body.tags, (std::vector<std::string>{"red", "blue"}));
  EXPECT_EQ(record.body.metadata, R"({"who":"A\"B"})");
  EXPECT_EQ(record.body.traceparent, "00-1-2-00");
}

TEST_F(ClientTest, MakesADelayedJobDueWhenItsTimeHasCome) {
  using namespace std::chrono_literals;
  const EnqueuedJob job = client.enqueue(Greet{}, {.delay = 90s}).value();
  harbour.advance(Duration::seconds(89));
  EXPECT_EQ(harbour.path(job.id), "CREATED SCHEDULED");
  harbour.advance(Duration::seconds(1));
  EXPECT_EQ(harbour.path(job.id), "CREATED SCHEDULED QUEUED");
}

TEST_F(ClientTest, EnqueuesManyInOrderOrNoneAtAll) {
  std::vector<JobRequest> requests;
  for (int i = 0; i < 3; ++i) requests.push_back(request_for(Greet{.times = i}).value());
  const std::vector<EnqueuedJob> jobs = client.enqueue_all(requests).value();
  ASSERT_EQ(jobs.size(), 3U);
  EXPECT_LT(jobs[0].id, jobs[1].id);
  EXPECT_LT(jobs[1].id, jobs[2].id);

  requests.push_back({.type = "bad type"});
  const Error error = client.enqueue_all(requests).error();
  EXPECT_EQ(error.code, Errc::invalid);
  EXPECT_EQ(error.message.rfind("jobs[3]: job type", 0), 0U) << error.message;
  EXPECT_EQ(harbour.jobs("greet").size(), 3U);
}

TEST_F(ClientTest, AnswersTheFirstJobWhenAKeyComesAgain) {
  const EnqueuedJob first = client.enqueue(Greet{}, {.idempotency_key = "once"}).value();
  const EnqueuedJob again = client.enqueue(Greet{}, {.idempotency_key = "once"}).value();
  EXPECT_EQ(again.id, first.id);
  EXPECT_FALSE(again.fresh);
}

TEST_F(ClientTest, MakesOneJobOfTwoCallsWithOneId) {
  const JobId id = client.enqueue(Greet{}).value().id;
  EXPECT_EQ(client.enqueue(Greet{}, {.id = id}).value().id, id);
  EXPECT_EQ(harbour.jobs("greet").size(), 1U);
}

TEST_F(ClientTest, SaysWhyTheStoreRefused) {
  ASSERT_TRUE(client.enqueue(Greet{}, {.job_key = "k"}).ok());
  const Error error =
      client.enqueue(Greet{}, {.job_key = "k", .on_conflict = OnConflict::reject}).error();
  EXPECT_EQ(error.code, Errc::refused);
  EXPECT_EQ(error.refusal, Code::key_in_use);
  const Error bad = client.enqueue(Greet{}, {.priority = 12}).error();
  EXPECT_EQ(bad.code, Errc::invalid);
  EXPECT_NE(bad.message.find("priority"), std::string::npos);
}

TEST_F(ClientTest, FindsBadInputBeforeItIsSent) {
  const std::string deep = std::string(65, '[') + std::string(65, ']');
  const std::string large = '"' + std::string(1024 * 1024, 'x') + '"';
  const struct {
    std::string name;
    JobRequest request;
    Code code;
    std::string says;
  } cases[] = {
      {"not JSON", {.type = "T", .payload = "{a:1}"}, Code::invalid_json, "payload is not JSON"},
      {"empty", {.type = "T", .payload = ""}, Code::invalid_json, "payload is not JSON"},
      {"two values", {.type = "T", .payload = "1 2"}, Code::invalid_json, "payload is not JSON"},
      {"too deep", {.type = "T", .payload = deep}, Code::invalid_field, "nested too deep"},
      {"too large", {.type = "T", .payload = large}, Code::too_large, "1048578 bytes"},
      {"no type", {.type = ""}, Code::invalid_field, "job type"},
      {"a reserved type", {.type = "longshore.x"}, Code::invalid_field, "job type"},
      {"a queue with a space",
       {.type = "T", .options = {.queue = "a b"}},
       Code::invalid_field,
       "queue"},
      {"an endless key",
       {.type = "T", .options = {.job_key = std::string(256, 'k')}},
       Code::invalid_field,
       "job key"},
      {"a tag that is no text",
       {.type = "T", .options = {.tags = {"\xFF"}}},
       Code::invalid_field,
       "tag"},
      {"too many tags",
       {.type = "T", .options = {.tags = std::vector<std::string>(17, "t")}},
       Code::invalid_field,
       "tags"},
      {"a callback that is no URL",
       {.type = "T", .options = {.callback = Callback{.url = "example.com/done"}}},
       Code::invalid_field,
       "callback.url"},
      {"metadata that is no text",
       {.type = "T", .options = {.metadata = {{"a", "\xFF"}}}},
       Code::invalid_field,
       "metadata"},
      {"too much metadata",
       {.type = "T", .options = {.metadata = {{"a", std::string(17'000, 'x')}}}},
       Code::invalid_field,
       "metadata"},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.name);
    const auto answer = client.enqueue(one.request);
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code, Errc::invalid);
    EXPECT_EQ(answer.error().refusal, one.code);
    EXPECT_NE(answer.error().message.find(one.says), std::string::npos) << answer.error().message;
  }
  EXPECT_TRUE(client.list().value().jobs.empty());
}

TEST_F(ClientTest, CancelsAWaitingJobAtOnceAndAsksTheOwnerOfARunningOne) {
  const JobId waiting = client.enqueue(Greet{}).value().id;
  EXPECT_EQ(client.cancel(waiting).value().status, Status::canceled);
  const JobId running = client.enqueue(Greet{}).value().id;
  claim();
  EXPECT_TRUE(client.cancel(running).value().asked);
  EXPECT_FALSE(client.cancel(running, true).value().asked);
  EXPECT_EQ(client.get(running)->job.state, State::canceled);
}

TEST_F(ClientTest, KnowsNoJobThatWasNeverThere) {
  const JobId unknown{1, 2};
  EXPECT_EQ(client.get(unknown).error().code, Errc::not_found);
  EXPECT_EQ(client.cancel(unknown).error().code, Errc::not_found);
  EXPECT_EQ(client.wait(unknown, Duration::hours(1)).error().code, Errc::not_found);
}

TEST_F(ClientTest, ListsItsOwnNamespace) {
  const JobId id = client.enqueue(Greet{}).value().id;
  const ListPage page = client.list({.type = "greet"}).value();
  ASSERT_EQ(page.jobs.size(), 1U);
  EXPECT_EQ(page.jobs[0].job.id, id);
  EXPECT_TRUE(client.list({.type = "other"}).value().jobs.empty());
}

// Time does not pass, so only the commit can end this wait.
TEST_F(ClientTest, IsWokenByTheCommitThatEndsAJob) {
  const JobId id = client.enqueue(Greet{}).value().id;
  const Lease lease = claim();
  Event waiting;
  std::thread waiter([&] {
    waiting.happen();
    EXPECT_EQ(client.result_as<int>(id, Duration::hours(1)).value(), 42);
  });
  EXPECT_TRUE(waiting.wait());
  complete(lease, "42");
  waiter.join();
}

TEST_F(ClientTest, WaitsNoLongerThanItWasTold) {
  const JobId id = client.enqueue(Greet{}).value().id;
  EXPECT_EQ(client.wait(id, Duration()).value().job.state, State::queued);
  Event over;
  std::thread waiter([&] {
    EXPECT_EQ(client.result(id, Duration::seconds(10)).error().code, Errc::unavailable);
    over.happen();
  });
  const auto ended =
      eventually([&] { return over.count() > 0; }, [&] { harbour.advance(Duration::seconds(1)); });
  EXPECT_TRUE(ended);
  if (!ended) harbour.longshore().stop();  // ends the wait
  waiter.join();
}

TEST_F(ClientTest, TellsHowAJobEndedBadly) {
  const JobId id = client.enqueue(Greet{}).value().id;
  const Lease lease = claim();
  leases
      ->tell({Fail{.job = lease.job,
                   .token = lease.token,
                   .error = {"SMTP", "mailbox full", ""},
                   .retryable = false}})
      .value();
  const Error error = client.result(id, Duration()).error();
  EXPECT_EQ(error.refusal, Code::job_failed);
  EXPECT_NE(error.message.find("mailbox full"), std::string::npos);
  const JobId gone = client.enqueue(Greet{}).value().id;
  client.cancel(gone).value();
  EXPECT_EQ(client.result(gone, Duration()).error().refusal, Code::job_canceled);
}

TEST_F(ClientTest, SaysSoOnceLongshoreHasStopped) {
  const JobId id = client.enqueue(Greet{}).value().id;
  harbour.longshore().stop();
  for (const Error& error :
       {client.enqueue(Greet{}).error(), client.get(id).error(), client.cancel(id).error(),
        client.list().error(), client.wait(id, Duration::hours(1)).error()}) {
    EXPECT_EQ(error.code, Errc::refused);
    EXPECT_NE(error.message.find("stopped"), std::string::npos);
  }
}

TEST_F(ClientTest, LeavesNobodyWaitingWhenLongshoreStops) {
  const JobId id = client.enqueue(Greet{}).value().id;
  Event waiting;
  std::thread waiter([&] {
    waiting.happen();
    EXPECT_EQ(client.wait(id, Duration::hours(1)).error().code, Errc::refused);
  });
  EXPECT_TRUE(waiting.wait());
  harbour.longshore().stop();
  waiter.join();
}

}  // namespace
}  // namespace longshore
