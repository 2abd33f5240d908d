// Handlers that end in every possible way, for handlers_test.py: in threads of this process, or
// isolated from it. They use the server that LONGSHORE_SERVER names and log JSON lines to standard
// error.
//
//   e2e_handlers thread|isolated LEASE_MILLIS GRACE_MILLIS
//
// A lease of 0 uses the lease time of the server's rules.
#include <fcntl.h>
#include <longshore/isolate.h>
#include <longshore/longshore.h>
#include <unistd.h>

#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <string>

namespace longshore {
namespace {

// In one write, since several processes write here.
void say(const std::string& message, const std::string& error = "") {
  const std::string line =
      "{\"message\":" + to_json(message).value() + ",\"error\":" + to_json(error).value() + "}\n";
  [[maybe_unused]] const ssize_t written = ::write(2, line.data(), line.size());
}

std::string word_of(StopReason reason) {
  switch (reason) {
    case StopReason::none:
      return "none";
    case StopReason::canceled:
      return "canceled";
    case StopReason::lease_lost:
      return "lease lost";
    case StopReason::timed_out:
      return "timed out";
    case StopReason::worker_stopped:
      return "worker stopped";
  }
  return "";
}

Ending echo(Context& context) { return ok(RawJson{std::string(context.payload())}); }

Ending error(Context& context) {
  if (context.attempt() == 1) throw std::runtime_error("boom");
  return ok(context.attempt());
}

Ending fatal(Context&) { return fail_for_good("no hope", "NO_HOPE"); }

Ending hands_off(Context&) { return hand_off(); }

Ending crash(Context& context) {
  if (context.attempt() == 1) std::raise(SIGSEGV);
  return ok(context.attempt());
}

// Runs until it is asked to stop.
Ending wait(Context& context) {
  if (!context.save_checkpoint(context.attempt())) return fail("not saved");
  context.progress(42);
  say("started");
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait(lock, context.stop_token(), [] { return false; });
  say("stopped", word_of(context.stop_reason()));
  return canceled();
}

// Runs until there is input on the pipe named by its payload; ignores requests to stop.
Ending until(Context& context) {
  if (context.attempt() > 1) return ok(context.attempt());
  const Result<std::string> path = from_json<std::string>(context.payload());
  const int pipe = ::open(path.value().c_str(), O_RDWR | O_CLOEXEC);
  say("started");
  char byte = 0;
  while (::read(pipe, &byte, 1) < 0) {
  }
  ::close(pipe);
  return ok("late");
}

// Is killed during its first attempt.
Ending steps(Context& context) {
  int step = context.checkpoint_as<int>().value().value_or(0);
  say("begins at " + std::to_string(step));
  for (; step < 5; ++step) {
    if (context.attempt() == 1 && step == 3) std::raise(SIGKILL);
    if (!context.save_checkpoint(step + 1)) return fail("not saved");
  }
  return ok(step);
}

int work(const std::string& kind, Duration lease, Duration grace) {
  Result<Longshore> server = open(std::getenv("LONGSHORE_SERVER"));
  if (!server) return say("refused", server.error().message), 1;
  WorkerOptions options{.name = kind, .concurrency = 1, .grace = grace};
  if (lease > Duration()) options.lease = lease;
  options.on_trouble = [](const Error& trouble) {
    say(trouble.refusal == Code::lease_lost ? "LEASE_LOST" : "trouble", trouble.message);
  };
  Worker worker(*server, std::move(options));
  const HandlerOptions how{.isolated = kind == "isolated"};
  worker.handle("ECHO", echo, how).handle("ERROR", error, how).handle("FATAL", fatal, how);
  worker.handle("CRASH", crash, how).handle("WAIT", wait, how).handle("UNTIL", until, how);
  worker.handle("STEPS", steps, how).handle("HANDOFF", hands_off, how);
  say("working");
  const Result<StopReport> report = worker.run_until_signal();
  if (!report) return say("refused", report.error().message), 1;
  return 0;
}

}  // namespace
}  // namespace longshore

int main(int argc, char** argv) {
  longshore::isolate(argc, argv);
  if (argc < 4) return 2;
  const auto millis = [&](int which) {
    return longshore::Duration::millis(std::atoi(argv[which]));
  };
  return longshore::work(argv[1], millis(2), millis(3));
}
