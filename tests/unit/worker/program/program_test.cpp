#include "worker/program/program.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include "longshore/testing.h"

namespace longshore {
namespace {

class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest() {
    std::string name = (std::filesystem::temp_directory_path() / "longshore-program-XXXXXX");
    folder_ = ::mkdtemp(name.data());
  }
  ~ProgramTest() override { std::filesystem::remove_all(folder_); }

  std::string script(const std::string& body) {
    const std::string path = folder_ / "program";
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    ::chmod(path.c_str(), 0755);
    return path;
  }
  std::filesystem::path file(const std::string& name) const { return folder_ / name; }
  ProgramEnd run(const std::string& body, ProgramCall call = {}, std::stop_token stop = {}) {
    call.path = script(body);
    call.environment.push_back("PATH=/usr/bin:/bin");
    return run_program(call, stop).value();
  }

  std::filesystem::path folder_;
};

TEST_F(ProgramTest, ReadsItsInputAndReturnsItsOutput) {
  const ProgramEnd end = run("cat; echo heard >&2", {.input = "{\"a\":1}"});
  EXPECT_EQ(end.status, 0);
  EXPECT_EQ(end.output, "{\"a\":1}");
  EXPECT_EQ(end.errors, "heard\n");
}

TEST_F(ProgramTest, MayIgnoreALargeInput) {
  EXPECT_EQ(run("exit 0", {.input = std::string(1024 * 1024, 'x')}).status, 0);
}

TEST_F(ProgramTest, SeesItsOwnEnvironmentAndNoOther) {
  const ProgramEnd end =
      run("env | grep -v -e ^PWD= -e ^_= -e ^SHLVL= | sort", {.environment = {"ONE=1"}});
  EXPECT_EQ(end.output, "ONE=1\nPATH=/usr/bin:/bin\n");
}

TEST_F(ProgramTest, HasNoFileOpenButTheThreeStandardOnes) {
  // The listing itself opens the folder.
  EXPECT_EQ(run("ls /proc/self/fd | wc -l").output, "4\n");
}

TEST_F(ProgramTest, IsKilledForWritingTooMuch) {
  const ProgramEnd end = run("yes", {.output_max = 100'000});
  EXPECT_TRUE(end.overflown);
  EXPECT_EQ(end.output.size(), 100'000u);
  EXPECT_EQ(ending_of(end).kind, Ending::Kind::fatal);
}

TEST_F(ProgramTest, KeepsTheNewestLinesOfStandardError) {
  const ProgramEnd end =
      run("i=0; while [ $i -lt 300 ]; do echo line $i >&2; i=$((i+1)); done", {.errors_kept = 18});
  EXPECT_EQ(end.errors, "line 298\nline 299\n");
}

TEST_F(ProgramTest, DoesNotWaitForADescendantThatHoldsThePipesAndKillsIt) {
  const std::string fifo = file("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::thread reader([&] {
    // Ends once no process has it open for writing.
    std::ifstream held(fifo);
    held.ignore(std::numeric_limits<std::streamsize>::max());
  });
  const ProgramEnd end = run("exec 3> " + fifo + "; sleep 1000 & echo done");
  EXPECT_EQ(end.output, "done\n");
  reader.join();
}

TEST_F(ProgramTest, GetsSigtermWhenStopped) {
  std::stop_source stop;
  const std::string fifo = file("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::thread stopper([&] {
    std::ifstream ready(fifo);  // opens once the program has set its trap
    stop.request_stop();
  });
  const ProgramEnd end =
      run("trap 'echo asked; exit 3' TERM; : > " + fifo + "; while :; do sleep 0.01; done",
          {.patience = Duration::seconds(60)}, stop.get_token());
  stopper.join();
  EXPECT_TRUE(end.stopped);
  EXPECT_EQ(end.status, 3);
  EXPECT_EQ(end.output, "asked\n");
}

TEST_F(ProgramTest, IsKilledWhenItIgnoresSigterm) {
  std::stop_source stop;
  const std::string fifo = file("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::thread stopper([&] {
    std::ifstream ready(fifo);
    stop.request_stop();
  });
  const ProgramEnd end = run("trap '' TERM; : > " + fifo + "; while :; do sleep 0.01; done",
                             {.patience = Duration::millis(50)}, stop.get_token());
  stopper.join();
  EXPECT_TRUE(end.stopped);
  EXPECT_EQ(end.status, std::nullopt);
  EXPECT_EQ(end.signal, SIGKILL);
}

TEST_F(ProgramTest, IsLimitedInMemoryAndFiles) {
  const ProcessLimits limits{.memory_bytes = 512 << 20, .cpu_seconds = 7, .open_files = 50};
  EXPECT_EQ(run("ulimit -v; ulimit -t; ulimit -n; ulimit -c", {.limits = limits}).output,
            "524288\n7\n50\n0\n");
}

TEST_F(ProgramTest, IsLimitedInProcessesAndFileSize) {
  const ProcessLimits limits{.processes = 4000, .file_bytes = 512 * 100};
  EXPECT_EQ(run("grep 'Max processes' /proc/self/limits | tr -s ' ' | cut -d' ' -f3; ulimit -f",
                {.limits = limits})
                .output,
            "4000\n100\n");
  const ProgramEnd end =
      run("head -c 100000 /dev/zero > " + file("large").string(), {.limits = {.file_bytes = 1000}});
  EXPECT_EQ(std::filesystem::file_size(file("large")), 1000u);
  EXPECT_NE(end.status, 0);
}

TEST(ProgramEnding, ReportsAFileThatIsTooLarge) {
  EXPECT_EQ(ending_of(ProgramEnd{.signal = SIGXFSZ}).error.code, "FILE_LIMIT");
}

TEST_F(ProgramTest, GainsNoRightsThroughSetuidFiles) {
  const std::string look = "grep NoNewPrivs /proc/self/status | cut -f2";
  EXPECT_EQ(run(look).output, "1\n");
  EXPECT_EQ(run(look, {.may_gain_rights = true}).output, "0\n");
}

// A descendant with its own session keeps the fifo open until it is killed.
TEST_F(ProgramTest, KillsDetachedDescendants) {
  for (const bool in_cgroup : {true, false}) {
    const std::string fifo = file(in_cgroup ? "grouped" : "ungrouped");
    ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
    std::thread reader([&] {
      std::ifstream held(fifo);
      held.ignore(std::numeric_limits<std::streamsize>::max());
    });
    const ProgramEnd end =
        run("exec 3> " + fifo + "; setsid sh -c 'setsid sleep 1000 & exec sleep 1000' & exit 7",
            {.in_cgroup = in_cgroup});
    EXPECT_EQ(end.status, 7);
    reader.join();
  }
}

TEST_F(ProgramTest, IsKilledByKillAllChildren) {
  const std::string fifo = file("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  std::thread killer([&] {
    std::ifstream ready(fifo);
    kill_all_children();
  });
  EXPECT_EQ(run(": > " + fifo + "; exec sleep 1000").signal, SIGKILL);
  killer.join();
}

TEST_F(ProgramTest, IsKilledForExceedingItsCpuTime) {
  const ProgramEnd end = run("while :; do :; done", {.limits = {.cpu_seconds = 1}});
  EXPECT_EQ(end.signal, SIGXCPU);
  EXPECT_EQ(ending_of(end).error.code, "CPU_LIMIT");
}

TEST_F(ProgramTest, RunsInItsWorkingDirectory) {
  const std::filesystem::path inside = folder_ / "inside";
  std::filesystem::create_directory(inside);
  EXPECT_EQ(run("pwd -P", {.folder = inside}).output,
            std::filesystem::canonical(inside).string() + "\n");
  const Result<ProgramEnd> absent =
      run_program({.path = "/bin/true", .folder = folder_ / "absent"}, {});
  ASSERT_FALSE(absent);
  EXPECT_NE(absent.error().message.find("cannot enter"), std::string::npos);
}

TEST_F(ProgramTest, LeavesNoChildUnreaped) {
  for (int i = 0; i < 5; ++i) {
    run("exit 3");
    EXPECT_FALSE(run_program({.path = file("absent")}, {}));
  }
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1) << "a child was not reaped";
}

TEST_F(ProgramTest, FailsIfItDoesNotExist) {
  const Result<ProgramEnd> end = run_program({.path = file("absent")}, {});
  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, Errc::invalid);
  EXPECT_NE(end.error().message.find("No such file"), std::string::npos) << end.error().message;
}

TEST_F(ProgramTest, MustBeNamedByAPath) {
  EXPECT_FALSE(program_path("sh"));
  EXPECT_FALSE(program_path("./no-such-program"));
  EXPECT_FALSE(program_path("/bin/"));
  EXPECT_EQ(program_path("/bin/sh").value(), "/bin/sh");
  EXPECT_EQ(program_path("./dev").value(), std::filesystem::current_path() / "dev");
}

TEST(ProgramEnding, MapsEachStatusToAnOutcome) {
  using Kind = Ending::Kind;
  const struct {
    const char* name;
    ProgramEnd end;
    Kind kind;
    std::string text;  // the result, or the message
  } cases[] = {
      {"nothing", {.status = 0}, Kind::ok, "null"},
      {"JSON", {.status = 0, .output = " {\"a\": [1]}\n"}, Kind::ok, "{\"a\": [1]}"},
      {"text", {.status = 0, .output = "two\nlines\n"}, Kind::ok, "\"two\\nlines\\n\""},
      {"retry", {.status = 75, .errors = "away\n"}, Kind::fail, "away"},
      {"fatal", {.status = 65, .errors = "bad\n"}, Kind::fatal, "bad"},
      {"any other", {.status = 1}, Kind::fail, "the program ended with status 1"},
      {"signal",
       {.signal = SIGSEGV},
       Kind::fail,
       "the program was killed by SIGSEGV: Segmentation fault"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.name);
    const Ending ending = ending_of(c.end);
    EXPECT_EQ(ending.kind, c.kind);
    EXPECT_EQ(ending.kind == Kind::ok ? ending.result : ending.error.message, c.text);
  }
}

TEST_F(ProgramTest, RunsAsAHandlerWithTheJobInItsEnvironment) {
  ::setenv("LONGSHORE_TOKEN", "a secret", 1);
  testing::Harbour harbour;
  Worker worker(harbour.longshore(), {.concurrency = 1});
  worker.handle("T", program_handler(script(
                         "cat; echo \"$LONGSHORE_JOB_TYPE $LONGSHORE_ATTEMPT $LONGSHORE_FENCE "
                         "$LONGSHORE_JOB_ID token=$LONGSHORE_TOKEN\"; echo why >&2; exit 0")));
  const JobId id = harbour.client().enqueue({.type = "T", .payload = "7 "}).value().id;
  EXPECT_EQ(harbour.drain(worker), 1);
  ::unsetenv("LONGSHORE_TOKEN");
  EXPECT_EQ(harbour.client().result(id, Duration()).value(),
            "\"7 T 1 1 " + to_text(id) + " token=\\n\"");
  const auto logs = harbour.longshore().catalog().logs("default", id).value();
  ASSERT_EQ(logs.size(), 1u);
  EXPECT_EQ(logs.front().text, "why\n");
}

}  // namespace
}  // namespace longshore
