#include "longshore/worker.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "longshore/testing.h"

namespace longshore {
namespace {

using testing::Harbour;

struct Add {
  static constexpr std::string_view job_type = "add";
  int a = 0;
  int b = 0;
  LONGSHORE_ARGS(a, b)
};

class WorkerTest : public ::testing::Test {
 protected:
  JobId enqueue(const std::string& type = "T") { return client.enqueue({.type = type}).value().id; }
  JobRecord record(const JobId& id) { return client.get(id).value(); }
  // Runs one job whose handler returns this ending.
  JobId run_once(Handler handler) {
    Worker worker(harbour.longshore());
    worker.handle("T", std::move(handler));
    const JobId id = enqueue();
    EXPECT_EQ(harbour.drain(worker), 1);
    return id;
  }

  Harbour harbour;
  Client client = harbour.client();
};

TEST_F(WorkerTest, PassesArgumentsToAHandlerAndStoresItsResult) {
  Worker worker(harbour.longshore());
  worker.handle<Add>([](const Add& add) { return ok(add.a + add.b); });
  const JobId id = client.enqueue(Add{.a = 2, .b = 3}).value().id;
  EXPECT_EQ(harbour.drain(worker), 1);
  EXPECT_EQ(client.result_as<int>(id, Duration()).value(), 5);
  EXPECT_EQ(harbour.path(id), "CREATED QUEUED RUNNING SUCCESS");
}

TEST_F(WorkerTest, TreatsAHandlerThatReturnsVoidAsSuccessful) {
  Worker worker(harbour.longshore());
  int sum = 0;
  worker.handle<Add>([&](Context& context, const Add& add) {
    EXPECT_EQ(context.attempt(), 1);
    EXPECT_EQ(context.fence(), 1);
    EXPECT_EQ(context.payload(), R"({"a":1,"b":1})");
    EXPECT_EQ(context.deadline(), harbour.now() + Duration::seconds(1800));
    EXPECT_EQ(context.time_left(), Duration::seconds(1800));
    EXPECT_FALSE(context.stop_requested());
    EXPECT_EQ(context.stop_reason(), StopReason::none);
    EXPECT_FALSE(context.worker_stopping());
    sum = add.a + add.b;
  });
  const JobId id = client.enqueue(Add{.a = 1, .b = 1}).value().id;
  EXPECT_EQ(harbour.drain(worker), 1);
  EXPECT_EQ(sum, 2);
  EXPECT_EQ(client.result(id, Duration()).value(), "null");
}

TEST_F(WorkerTest, EndsAnAttemptAsItsHandlerReturns) {
  const struct {
    std::string name;
    Ending ending;
    std::string path;
    std::string error;
    int failures;
  } cases[] = {
      {"ok", ok(), "SUCCESS", "", 0},
      {"fail", fail("no", "WHY"), "RETRY", "WHY: no", 1},
      {"retry in", retry_in(Duration::seconds(9), "later"), "RETRY", "FAILED: later", 1},
      {"fail for good", fail_for_good("never"), "RETRY DEAD", "FAILED: never", 1},
      {"release", release(), "RETRY QUEUED RUNNING SUCCESS", "", 0},
      {"release with a delay", release(Duration::seconds(5)), "RETRY", "", 0},
      {"hand off", hand_off(Duration::hours(1)), "WAITING", "", 0},
      {"a result that is not JSON", ok(RawJson{"{"}), "RETRY DEAD",
       "BAD_ENDING: the handler returned", 1},
      {"a result that cannot be encoded", ok("\xFF"), "RETRY DEAD", "BAD_RESULT: the value", 1},
      {"a negative delay", retry_in(Duration::seconds(-1), "x"), "RETRY DEAD", "BAD_ENDING: ", 1},
      {"a reserved code", fail("x", "TIMEOUT"), "RETRY DEAD", "BAD_ENDING: ", 1},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.name);
    Harbour own;
    Worker worker(own.longshore());
    // A released job is available at once.
    worker.handle("T",
                  [&](Context& context) { return context.attempt() == 1 ? one.ending : ok(); });
    const JobId id = own.client().enqueue({.type = "T"}).value().id;
    own.drain(worker);
    EXPECT_EQ(own.path(id), "CREATED QUEUED RUNNING " + one.path);
    const JobRecord after = own.client().get(id).value();
    EXPECT_EQ(after.job.failures, one.failures);
    const std::string error = after.error ? after.error->code + ": " + after.error->message : "";
    if (!one.error.empty()) {
      EXPECT_EQ(error.substr(0, one.error.size()), one.error);
    }
  }
}

TEST_F(WorkerTest, RetriesAfterTheDelayItsHandlerAsksFor) {
  Worker worker(harbour.longshore());
  worker.handle("T", [](Context& context) {
    return context.attempt() == 1 ? retry_in(Duration::seconds(90), "busy") : ok();
  });
  const JobId id = enqueue();
  EXPECT_EQ(harbour.drain(worker), 1);
  harbour.advance(Duration::seconds(89));
  EXPECT_EQ(harbour.drain(worker), 0);
  harbour.advance(Duration::seconds(1));
  EXPECT_EQ(harbour.drain(worker), 1);
  EXPECT_EQ(record(id).job.state, State::success);
}

TEST_F(WorkerTest, TurnsAnExceptionIntoAFailure) {
  const JobId id = run_once([](Context&) -> Ending { throw std::runtime_error("disk on fire"); });
  EXPECT_EQ(record(id).error->code, "std::runtime_error");
  EXPECT_EQ(record(id).error->message, "disk on fire");
  EXPECT_EQ(record(id).job.state, State::retry);
  const JobId odd = run_once([](Context&) -> Ending { throw 7; });
  EXPECT_EQ(record(odd).error->code, "EXCEPTION");
}

TEST_F(WorkerTest, TruncatesAndSanitizesTheMessageOfAnException) {
  const JobId id = run_once(
      [](Context&) -> Ending { throw std::runtime_error("\xFF" + std::string(20'000, 'x')); });
  EXPECT_EQ(record(id).error->message.size(), 8192U);
  EXPECT_EQ(record(id).error->message.substr(0, 4), "\xEF\xBF\xBDx");
}

TEST_F(WorkerTest, SendsJobsWithInvalidArgumentsToTheDeadLetters) {
  Worker worker(harbour.longshore());
  worker.handle<Add>([](const Add&) { FAIL() << "ran with bad arguments"; });
  const JobId id = client.enqueue({.type = "add", .payload = R"({"a":"two"})"}).value().id;
  EXPECT_EQ(harbour.drain(worker), 1);
  EXPECT_EQ(record(id).job.state, State::dead);
  EXPECT_EQ(record(id).error->code, "BAD_ARGUMENTS");
  EXPECT_EQ(record(id).error->message, "a must be a whole number, but is a string");
}

TEST_F(WorkerTest, TakesOnlyJobsItHasAHandlerForFromItsQueuesInOrder) {
  Worker worker(harbour.longshore(), {.queues = {{"urgent"}, {"default"}}});
  std::vector<JobId> ran;
  worker.handle("T", [&](Context& context) {
    ran.push_back(context.job());
    return ok();
  });
  const JobId later = enqueue();
  enqueue("other");
  client.enqueue({.type = "T", .options = {.queue = "elsewhere"}}).value();
  const JobId first = client.enqueue({.type = "T", .options = {.queue = "urgent"}}).value().id;
  EXPECT_EQ(harbour.drain(worker), 2);
  EXPECT_EQ(ran, (std::vector<JobId>{first, later}));
}

TEST_F(WorkerTest, StoresTheLogOfItsHandler) {
  const JobId id = run_once([](Context& context) {
    context.log("first");
    context.log("second\n");
    return ok();
  });
  const auto logs = harbour.longshore().catalog().logs("default", id).value();
  ASSERT_EQ(logs.size(), 1U);
  EXPECT_EQ(logs[0].text, "first\nsecond\n");
}

TEST_F(WorkerTest, GivesTheNextAttemptThePreviousCheckpoint) {
  struct Progress {
    int done = 0;
    LONGSHORE_ARGS(done)
  };
  Worker worker(harbour.longshore());
  worker.handle("T", [](Context& context) {
    const auto before = context.checkpoint_as<Progress>().value();
    if (before) return ok(before->done);
    EXPECT_TRUE(context.save_checkpoint(Progress{.done = 3}).ok());
    EXPECT_EQ(context.checkpoint(), R"({"done":3})");
    throw std::runtime_error("lost power");
  });
  const JobId id = enqueue();
  EXPECT_EQ(harbour.drain(worker), 1);
  EXPECT_EQ(record(id).checkpoint, R"({"done":3})");
  harbour.advance(Duration::seconds(3));
  EXPECT_EQ(harbour.drain(worker), 1);
  EXPECT_EQ(client.result_as<int>(id, Duration()).value(), 3);
}

TEST_F(WorkerTest, RefusesACheckpointThatCannotBeStored) {
  run_once([](Context& context) {
    EXPECT_EQ(context.save_checkpoint(RawJson{"{"}).error().refusal, Code::invalid_json);
    const RawJson large{'"' + std::string(256 * 1024, 'x') + '"'};
    EXPECT_EQ(context.save_checkpoint(large).error().refusal, Code::too_large);
    return ok();
  });
}

TEST_F(WorkerTest, ReportsInvalidOptionsAtTheStart) {
  const auto done = [](Context&) { return ok(); };
  const struct {
    std::string name;
    WorkerOptions options;
    std::vector<std::string> types;
    HandlerOptions handler;
    std::string says;
  } cases[] = {
      {"twice", {}, {"T", "U", "T"}, {}, "two handlers were registered for T"},
      {"none", {}, {}, {}, "at least one handler"},
      {"a bad type", {}, {"a b"}, {}, "job type"},
      {"a bad queue", {.queues = {{"a b"}}}, {"T"}, {}, "queue"},
      {"no queue", {.queues = {}}, {"T"}, {}, "at least one queue"},
      {"negative", {.concurrency = -1}, {"T"}, {}, "concurrency"},
      {"negative for a queue", {.queues = {{"q", -1}}}, {"T"}, {}, "concurrency"},
      {"negative for a type", {}, {"T"}, {.concurrency = -1}, "concurrency"},
      {"too short a lease", {.lease = Duration::millis(999)}, {"T"}, {}, "lease"},
  };
  for (const auto& one : cases) {
    SCOPED_TRACE(one.name);
    Worker worker(harbour.longshore(), one.options);
    for (const std::string& type : one.types) worker.handle(type, done, one.handler);
    const Error error = worker.start().error();
    EXPECT_EQ(error.code, Errc::invalid);
    EXPECT_NE(error.message.find(one.says), std::string::npos) << error.message;
    EXPECT_EQ(worker.run_pending().error(), error);
  }
}

}  // namespace
}  // namespace longshore
