// The whole server with more clients than it can serve, and with many that only wait.
// Usage: longshore_bench_crowd [--seconds N] [--polls N] [--dir FOLDER]
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/http_load.h"
#include "bench/measure.h"
#include "bench/server_process.h"
#include "longshore/open.h"

using namespace longshore;
using namespace longshore::bench;

namespace {

constexpr int jobs_per_batch = 2000;
constexpr int peak_connections = 16;  // as much as the commit queue has room for
constexpr int crowding = 10;
constexpr int wake_ups = 300;

std::string new_store(const std::string& dir) {
  std::filesystem::remove_all(dir);
  std::filesystem::create_directories(dir);
  return "sqlite:" + dir + "/jobs.db";
}

// Much work in few bytes, so that one machine can offer far more load than the server can handle.
std::string batch() {
  std::string jobs;
  for (int i = 0; i < jobs_per_batch; ++i) {
    jobs += (i == 0 ? "" : ",") + std::string(R"({"jobType":"t"})");
  }
  return post_request("/jobs/batch", R"({"jobs":[)" + jobs + "]}");
}

// ---- Overload ---------------------------------------------------------------------------------

std::int64_t jobs_stored(const std::string& store) {
  const auto opened = open(store).value();
  std::int64_t count = 0;
  for (const QueueView& queue : opened.catalog().queues("default").value()) {
    for (const auto& [state, depth] : queue.depth) count += depth;
  }
  return count;
}

void overload(Report& report, const std::string& dir, double seconds) {
  const std::string request = batch();
  const std::string store = new_store(dir);
  std::uint64_t acknowledged = 0;
  {
    const ServerProcess server(store);
    const auto as_much_as_it_takes = [&] {
      return run_http_load({.port = server.port(),
                            .connections = peak_connections,
                            .seconds = 5,
                            .request = request});
    };
    const HttpLoadResult peak = as_much_as_it_takes();
    const double wanted = peak.per_second() * crowding;
    const auto offer = [&](double length) {
      return run_http_load({.port = server.port(),
                            .connections = peak_connections * crowding,
                            .seconds = length,
                            .request = request,
                            .per_second = wanted});
    };
    const HttpLoadResult first = offer(seconds / 4);
    const double before = server.memory_mib();
    const HttpLoadResult rest = offer(seconds * 3 / 4);
    const double after = server.memory_mib();
    // Millions of jobs make the store slower by themselves.
    const HttpLoadResult later = as_much_as_it_takes();
    const double usual = (peak.per_second() + later.per_second()) / 2;
    acknowledged = (peak.answers + first.answers + rest.answers + later.answers) * jobs_per_batch;
    const double offered = static_cast<double>(rest.sent) / rest.seconds;
    report.say(
        fmt::format("overload: batches of {} jobs, {:.0f}/s at the peak before, {:.0f}/s after, "
                    "{:.0f}/s offered "
                    "({:.1f} times), "
                    "{:.0f} s; {} refused, {} connections broken",
                    jobs_per_batch, peak.per_second(), later.per_second(), offered, offered / usual,
                    seconds, first.refused + rest.refused, first.broken + rest.broken));
    report.line("goodput, beside the peak", rest.per_second(), usual, "/s", at_least(0.9));
    report.line("refused p99, and what it may be", rest.refused_latency.quantile(0.99), 50, " ms",
                at_most(1));
    report.line("memory at the end, beside a quarter of the way", after, before, " MiB",
                at_most(1.1));
  }
  // Clients that had not been answered when the load ended may have been served all the same.
  report.line("jobs stored, beside those acknowledged", static_cast<double>(jobs_stored(store)),
              static_cast<double>(acknowledged), "", at_least(1));
}

// ---- Idle polls -------------------------------------------------------------------------------

// For one end of every connection; the server has the other.
void raise_file_limit(std::size_t polls) {
  const auto wanted = static_cast<rlim_t>(polls + 1000);
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_max = std::max(limit.rlim_max, wanted);
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) == 0) return;
  fmt::print(stderr, "{} open files are needed, and not allowed here: see ulimit -Hn\n", wanted);
  std::exit(2);
}

std::string read_some(int socket) {
  char bytes[4096];
  const ssize_t count = ::recv(socket, bytes, sizeof bytes, 0);
  return {bytes, static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
}

// Waits until one of them has something to read.
void await_any(std::vector<pollfd>& polls) {
  for (pollfd& one : polls) one.revents = 0;
  ::poll(polls.data(), polls.size(), 10'000);
}

// From the enqueue of a job until a poll returns it.
std::vector<double> wake_up_times(std::uint16_t port, std::vector<pollfd>& polls,
                                  const std::string& poll_request) {
  const int producer = connect_to(port);
  const std::string enqueue = post_request("/jobs", R"({"jobType":"t","queue":"idle"})");
  std::vector<double> times;
  for (int n = 0; n < wake_ups; ++n) {
    const Stopwatch watch;
    ::send(producer, enqueue.data(), enqueue.size(), 0);
    await_any(polls);
    times.push_back(watch.seconds() * 1000);
    read_some(producer);
    for (const pollfd& one : polls) {
      if (one.revents == 0) continue;
      read_some(one.fd);
      ::send(one.fd, poll_request.data(), poll_request.size(), 0);
    }
  }
  ::close(producer);
  return times;
}

void idle_polls(Report& report, const std::string& dir, std::size_t count) {
  raise_file_limit(count);
  const ServerProcess server(new_store(dir));
  const std::string request = post_request(
      "/leases", R"({"workerId":"w","queues":["idle"],"waitSeconds":60,"leaseSeconds":600})");
  const double before = server.memory_mib();
  std::vector<pollfd> polls;
  for (std::size_t n = 0; n < count; ++n) {
    const int socket = connect_to(server.port());
    if (socket < 0 || ::send(socket, request.data(), request.size(), 0) < 0) break;
    polls.push_back({.fd = socket, .events = POLLIN, .revents = 0});
  }
  std::this_thread::sleep_for(std::chrono::seconds(3));  // until all of them have been tried
  const double memory = server.memory_mib() - before;
  const double used = server.processor_seconds();
  const Stopwatch watch;
  std::this_thread::sleep_for(std::chrono::seconds(10));
  const double part = (server.processor_seconds() - used) / watch.seconds() * 100;
  report.say(fmt::format("{} idle polls for work: usage, and its limit", polls.size()));
  report.line("memory", memory, 160, " MiB", at_most(1));
  report.line("of a processor", part, 3, " %", at_most(1));
  const std::vector<double> times = wake_up_times(server.port(), polls, request);
  report.line("wake-up p50", median(times), 50, " ms", at_most(1));
  report.line("wake-up p99", quantile(times, 0.99), 50, " ms", at_most(1));
  for (const pollfd& one : polls) ::close(one.fd);
}

}  // namespace

int main(int argc, char** argv) {
  double seconds = 60;
  std::size_t polls = 10'000;
  std::string dir = "build/bench-data";
  for (int n = 1; n + 1 < argc; n += 2) {
    const std::string_view name = argv[n];
    if (name == "--seconds") seconds = std::stod(argv[n + 1]);
    if (name == "--polls") polls = std::stoul(argv[n + 1]);
    if (name == "--dir") dir = argv[n + 1];
  }
  Report report;
  report.contended(processor_pressure() > 0.3);
  idle_polls(report, dir + "/idle", polls);
  overload(report, dir + "/overload", seconds);
  for (const std::string& missed : report.missed()) fmt::print("missed: {}\n", missed);
  for (const std::string& bar : report.not_shown())
    fmt::print("undecided, machine too busy: {}\n", bar);
  return report.missed().empty() ? 0 : 1;
}
