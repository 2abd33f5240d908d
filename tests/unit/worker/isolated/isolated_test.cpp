// Isolated handlers. The main function begins with isolate(), as a user's would.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <string>

#include "longshore/longshore.h"
#include "longshore/testing.h"

namespace longshore {

struct Behaviour {
  std::string what = {};
  LONGSHORE_ARGS(what)
  static constexpr std::string_view job_type = "behaviour";
};

void write_to_null() {
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;  // NOLINT: crashes on purpose
}

// Behaves as the job's payload says.
Ending behave(Context& context, const Behaviour& behaviour) {
  if (behaviour.what == "segfault") write_to_null();
  if (behaviour.what == "abort") std::abort();
  if (behaviour.what == "exit") std::exit(3);
  if (behaviour.what == "exit 0") std::exit(0);
  if (behaviour.what == "kill") ::raise(SIGKILL);
  if (behaviour.what == "terminate") std::terminate();
  if (behaviour.what == "throw") throw std::runtime_error("thrown");
  if (behaviour.what == "fatal") return fail_for_good("never");
  if (behaviour.what == "who") return ok(static_cast<std::int64_t>(::getpid()));
  if (behaviour.what == "deaf") {
    while (true) ::pause();
  }
  if (behaviour.what == "listen") {
    context.progress(42);
    context.log("listening");
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait(lock, context.stop_token(), [] { return false; });
    return canceled();
  }
  if (behaviour.what == "leak") {
    std::string all;
    while (all.size() < (std::size_t{600} << 20)) all += std::string(1 << 20, 'x');
  }
  return ok(behaviour.what + " by " + std::to_string(context.attempt()));
}

Ending save_and_crash(Context& context) {
  const auto before = context.checkpoint_as<int>();
  if (before && *before) return ok(**before);
  if (!context.save_checkpoint(41 + context.attempt())) return fail("not saved");
  std::abort();
}

namespace {

class Isolated : public ::testing::Test {
 protected:
  Isolated() {
    worker_.handle<Behaviour>(behave, {.isolated = true, .memory_bytes = limit});
    worker_.handle("save", save_and_crash, {.isolated = true});
  }

#ifdef LONGSHORE_SANITIZED
  static constexpr std::int64_t limit = 0;  // sanitizers reserve terabytes of address space
#else
  static constexpr std::int64_t limit = 400 << 20;
#endif

  JobRecord run(const std::string& what) {
    const JobId id = enqueue(what);
    harbour_.drain(worker_);
    return harbour_.client().get(id).value();
  }
  JobId enqueue(const std::string& what) {
    return harbour_.client().enqueue(Behaviour{what}, {.policy = {.max_retries = 0}}).value().id;
  }

  testing::Harbour harbour_;
  Worker worker_{harbour_.longshore(), {.concurrency = 1}};
};

std::size_t open_files() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) {
    count += 1;
  }
  return count;
}

TEST_F(Isolated, EndsJobsAsAnyHandlerDoes) {
  EXPECT_EQ(run("well").result, "\"well by 1\"");
  EXPECT_EQ(run("fatal").error->message, "never");
  const JobRecord thrown = run("throw");
  EXPECT_EQ(thrown.error->code, "std::runtime_error");
  EXPECT_EQ(thrown.error->message, "thrown");
}

TEST_F(Isolated, RunsInAnotherProcessAndReusesIt) {
  const std::string first = run("who").result.value();
  EXPECT_NE(first, std::to_string(::getpid()));
  EXPECT_EQ(run("who").result, first);
  run("abort");
  EXPECT_NE(run("who").result, first);
}

TEST_F(Isolated, ACrashEndsTheProcessAndNotTheWorker) {
  const struct {
    const char* what;
    const char* code;
  } cases[] = {{"segfault", "SIGSEGV"}, {"abort", "SIGABRT"}, {"terminate", "SIGABRT"},
               {"exit", "EXIT_3"},      {"exit 0", "EXIT_0"}, {"kill", "SIGKILL"}};
  for (const auto& c : cases) {
    SCOPED_TRACE(c.what);
    const JobRecord record = run(c.what);
    EXPECT_EQ(record.job.state, State::dead);
    ASSERT_TRUE(record.error);
    EXPECT_EQ(record.error->code, c.code);
    EXPECT_EQ(run("well").job.state, State::success);
  }
}

TEST_F(Isolated, IsLimitedInItsMemory) {
  const JobRecord record = run("leak");
  if (limit == 0) {
    EXPECT_EQ(record.job.state, State::success);
  } else {
    EXPECT_EQ(record.error->code, "std::bad_alloc");
  }
  EXPECT_EQ(run("well").job.state, State::success);
}

TEST_F(Isolated, ReportsTheStackOfACrash) {
  const JobRecord record = run("segfault");
  EXPECT_NE(record.error->message.find("Segmentation fault"), std::string::npos);
  EXPECT_NE(record.error->message.find("write_to_null"), std::string::npos)
      << record.error->message;
  EXPECT_NE(record.error->details.find("write_to_null"), std::string::npos)
      << record.error->details;
}

TEST_F(Isolated, HandsItsCheckpointToTheNextAttempt) {
  const JobId id = harbour_.client()
                       .enqueue({.type = "save",
                                 .options = {.policy = {.backoff = {.kind = Backoff::Kind::none}}}})
                       .value()
                       .id;
  harbour_.drain(worker_);
  const JobRecord record = harbour_.client().get(id).value();
  EXPECT_EQ(record.result, "42");
  EXPECT_EQ(record.errors.front().error.code, "SIGABRT");
}

TEST_F(Isolated, LeavesNoProcessesOrFilesOpen) {
  run("abort");
  const std::size_t before = open_files();
  for (int i = 0; i < 50; ++i) run(i % 2 == 0 ? "segfault" : "exit");
  EXPECT_EQ(open_files(), before);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), 0) << "the zygote is the only child and is alive";
}

TEST_F(Isolated, RefusesALambdaThatCaptures) {
  int count = 0;
  Worker worker(harbour_.longshore());
  worker.handle<Behaviour>([&count](const Behaviour&) { count += 1; }, {.isolated = true});
  const Result<Nothing> started = worker.start();
  ASSERT_FALSE(started);
  EXPECT_NE(started.error().message.find("captures nothing"), std::string::npos);
}

// With the real clock and threads.
class IsolatedAtWork : public ::testing::Test {
 protected:
  IsolatedAtWork() {
    worker_.handle<Behaviour>(behave, {.isolated = true});
    EXPECT_TRUE(worker_.start());
  }
  JobId enqueue(const std::string& what, Duration timeout) {
    return client_.enqueue(Behaviour{what}, {.policy = {.max_retries = 0, .timeout = timeout}})
        .value()
        .id;
  }
  JobRecord ended(const JobId& id) { return client_.wait(id, Duration::minutes(1)).value(); }

  Longshore longshore_ = open("memory:").value();
  Client client_ = longshore_.client();
  Worker worker_{longshore_, {.concurrency = 2, .lease = Duration::seconds(1)}};
};

TEST_F(IsolatedAtWork, IsKilledWhenItIgnoresItsTimeout) {
  const JobRecord record = ended(enqueue("deaf", Duration::seconds(1)));
  EXPECT_EQ(record.error->code, "TIMEOUT");
  EXPECT_EQ(ended(enqueue("well", Duration::minutes(1))).job.state, State::success);
}

TEST_F(IsolatedAtWork, ReceivesACancelAndReportsProgress) {
  const JobId id = enqueue("listen", Duration::minutes(1));
  while (client_.get(id).value().job.progress != 42.0) {
  }
  EXPECT_TRUE(client_.cancel(id));
  EXPECT_EQ(ended(id).job.state, State::canceled);
  const auto logs = longshore_.catalog().logs("default", id).value();
  ASSERT_EQ(logs.size(), 1u);
  EXPECT_EQ(logs.front().text, "listening\n");
}

}  // namespace
}  // namespace longshore

int main(int argc, char** argv) {
  longshore::isolate(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
