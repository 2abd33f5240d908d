// longshore_bench_worker [--dir DIRECTORY] [--jobs N]: how many jobs that do nothing a worker runs,
// by the kind of its handler, and the cost of one compared with a plain thread.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure.h"
#include "bench/plain_service.h"
#include "client/delivery/push.h"
#include "core/time/clock.h"
#include "longshore/longshore.h"
#include "worker/program/program.h"

namespace longshore::bench {
namespace {

constexpr int many_slots = 64;
constexpr std::int64_t lone_part = 10;  // of the jobs, with one slot

struct Options {
  std::string directory = "bench-data";
  std::int64_t jobs = 20'000;
};

struct Kind {
  std::string name;
  std::function<void(Worker&)> register_with;
  std::int64_t jobs;
};

Ending nothing(Context&) { return ok(); }

void fill(const Client& client, std::int64_t count) {
  constexpr std::int64_t batch = 5000;
  Client own = client;
  for (std::int64_t left = count; left > 0; left -= batch) {
    std::vector<JobRequest> requests(static_cast<std::size_t>(std::min(left, batch)));
    for (JobRequest& request : requests) request.type = "noop";
    own.enqueue_all(std::move(requests)).value();
  }
}

// Seconds from the start of the worker until the last job is done: it alone has the last place.
double drain(const Options& options, const Kind& kind, std::int64_t jobs, int slots) {
  const std::string path = options.directory + "/worker.db";
  for (const char* end : {"", "-wal", "-shm", "-lock"}) std::filesystem::remove(path + end);
  Longshore longshore = open("sqlite:" + path).value();
  Client client = longshore.client();
  fill(client, jobs - 1);
  Worker worker(longshore, {.concurrency = slots});
  kind.register_with(worker);
  const Stopwatch watch;
  if (!worker.start()) std::abort();
  const JobId last = client.enqueue({.type = "noop", .options = {.priority = 9}}).value().id;
  client.wait(last, Duration::hours(1)).value();
  const double seconds = watch.seconds();
  worker.stop();
  return seconds;
}

std::string write_program(const Options& options) {
  const std::string path = std::filesystem::absolute(options.directory) / "true";
  std::filesystem::remove(path);
  std::filesystem::copy_file("/bin/true", path);
  ::chmod(path.c_str(), 0755);
  return path;
}

Handler make_push(std::uint16_t port) {
  const auto outgoing = Outgoing::make({.allow = {"127.0.0.1"}}).value();
  const auto sender = std::make_shared<WebhookSender>(
      WebhookSender{.outgoing = outgoing, .secrets = Secrets::parse({}).value(), .now = [] {
                      SystemClock clock;
                      return clock.now();
                    }});
  return push_handler(sender, {.url = "http://127.0.0.1:" + std::to_string(port)}).value();
}

void measure(const Options& options) {
  std::filesystem::create_directories(options.directory);
  Report report;
  report.say(
      fmt::format("Jobs that do nothing, from a durable SQLite store: {} slots, then one; "
                  "each line: name ours thread ratio",
                  many_slots));
  const std::string program = write_program(options);
  const PlainService service;
  const std::vector<Kind> kinds = {
      {"thread", [](Worker& w) { w.handle("noop", nothing); }, options.jobs},
      {"child", [](Worker& w) { w.handle("noop", nothing, {.isolated = true}); }, options.jobs},
      {"push", [&](Worker& w) { w.handle("noop", make_push(service.port())); }, options.jobs},
      {"exec", [&](Worker& w) { w.handle("noop", program_handler(program)); }, options.jobs / 4},
  };
  double threads = 0;
  double thread_alone = 0;
  for (const Kind& kind : kinds) {
    const double rate =
        static_cast<double>(kind.jobs) / drain(options, kind, kind.jobs, many_slots);
    const std::int64_t few = kind.jobs / lone_part;
    const double alone = drain(options, kind, few, 1) / static_cast<double>(few) * 1e6;
    if (kind.name == "thread") {
      threads = rate;
      thread_alone = alone;
    }
    report.line(kind.name + ".jobs-a-second.64-slots", rate, threads, "/s");
    report.line(kind.name + ".one-job.one-slot", alone, thread_alone, "us");
  }
}

std::optional<Options> parse(int count, char** words) {
  Options options;
  for (int at = 1; at + 1 < count; at += 2) {
    const std::string_view name = words[at];
    const std::string_view value = words[at + 1];
    if (name == "--dir") {
      options.directory = value;
    } else if (name == "--jobs") {
      std::from_chars(value.data(), value.data() + value.size(), options.jobs);
    } else {
      return std::nullopt;
    }
  }
  if (count % 2 == 0 || options.jobs < 100) return std::nullopt;
  return options;
}

}  // namespace
}  // namespace longshore::bench

int main(int count, char** words) {
  longshore::isolate(count, words);
  const auto options = longshore::bench::parse(count, words);
  if (!options) {
    fmt::print(stderr, "Usage: {} [--dir DIRECTORY] [--jobs N]\n", words[0]);
    return 2;
  }
  longshore::bench::measure(*options);
  return 0;
}
