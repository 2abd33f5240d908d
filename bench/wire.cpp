// What our HTTP server costs with an application that does nothing, beside Beast in the same run:
// answers per second and processor time for each, and what idle long polls cost.
// Usage: longshore_bench_wire [--seconds N] [--polls N] [--dir FOLDER]
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/http_echo.h"
#include "bench/http_load.h"
#include "bench/measure.h"
#include "core/sync/mutex.h"
#include "http/server.h"

using namespace longshore;
using namespace longshore::bench;

namespace {

constexpr int server_threads = 1;
const std::string answer_body =
    R"({"jobId":"01936b2e-7a10-7c3e-9d2f-3c1b7a5e9f00","status":"PENDING"})";
const std::string job = R"({"jobType":"email.send","payload":{"to":"ada@example.org","text":")" +
                        std::string(140, 'x') + "\"}}";

HttpResponse accepted() {
  return {.status = 202, .content_type = "application/json", .headers = {}, .body = answer_body};
}

// Answers at once, on the thread that read the request.
class AtOnce : public HttpApplication {
 public:
  std::size_t body_limit(std::string_view, std::string_view) const override { return 1 << 20; }
  void handle(std::shared_ptr<HttpExchange> exchange) override { exchange->answer(accepted()); }
  HttpResponse refuse(std::string_view, std::string_view) override {
    return {.status = 400, .content_type = ""};
  }
};

// Leaves the answer to another thread, which takes all there is at once, as a group commit does.
class Elsewhere : public AtOnce {
 public:
  ~Elsewhere() override {
    stopping_ = true;
    thread_.join();
  }
  void handle(std::shared_ptr<HttpExchange> exchange) override {
    const MutexLock lock(mutex_);
    waiting_.push_back(std::move(exchange));
  }

 private:
  void run() {
    while (!stopping_) {
      std::vector<std::shared_ptr<HttpExchange>> batch;
      {
        const MutexLock lock(mutex_);
        batch.swap(waiting_);
      }
      if (batch.empty()) std::this_thread::sleep_for(std::chrono::microseconds(200));
      for (const auto& exchange : batch) exchange->answer(accepted());
    }
  }

  Mutex mutex_;
  std::vector<std::shared_ptr<HttpExchange>> waiting_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_{[this] { run(); }};
};

// Keeps every request.
class Polls : public AtOnce {
 public:
  void handle(std::shared_ptr<HttpExchange> exchange) override {
    exchange->on_gone([this] { ++gone; });
    const MutexLock lock(mutex_);
    waiting.push_back(std::move(exchange));
    ++arrived;
  }

  std::atomic<std::size_t> arrived = 0;
  std::atomic<std::size_t> gone = 0;
  std::vector<std::shared_ptr<HttpExchange>> waiting;

 private:
  Mutex mutex_;
};

struct Cost {
  double per_second;
  double micros;  // of the server's processor time for each answer
  double p99;
};

Cost measure(std::uint16_t port, int connections, double seconds) {
  const double before = processor_seconds();
  const HttpLoadResult result = run_http_load({.port = port,
                                               .connections = connections,
                                               .threads = 1,
                                               .seconds = seconds,
                                               .request = post_request("/jobs", job)});
  const double used = processor_seconds() - before - result.processor_seconds;
  return {result.per_second(), used / static_cast<double>(result.answers) * 1e6,
          result.latency.quantile(0.99)};
}

class Serving {
 public:
  explicit Serving(HttpApplication& application) : server(application, {.connections = 100'000}) {
    port = server.listen().value();
    server.start(server_threads);
  }
  HttpServer server;
  std::uint16_t port = 0;
};

void compare(Report& report, double seconds) {
  report.say(
      "POST of 250 bytes, one thread for the server, one for the clients; ours, Beast, ratio");
  AtOnce at_once;
  Elsewhere elsewhere;
  Serving ours(at_once);
  Serving later(elsewhere);
  const HttpEcho echo(server_threads, answer_body);
  for (const int connections : {1, 16, 64, 256}) {
    Pairs rate;
    Pairs micros;
    Pairs batched;
    for (int round = 0; round < 3; ++round) {
      const Cost beast = measure(echo.port(), connections, seconds);
      const Cost our = measure(ours.port, connections, seconds);
      const Cost our_later = measure(later.port, connections, seconds);
      rate.add(our.per_second, beast.per_second);
      micros.add(our.micros, beast.micros);
      batched.add(our_later.micros, beast.micros);
    }
    const std::string name = fmt::format("{} connections", connections);
    report.line(name + ", answers", rate, "/s");
    report.line(name + ", processor", micros, " us", at_most(1));
    if (connections >= 16) {
      report.line(name + ", processor, answered elsewhere", batched, " us");
    }
  }
}

void raise_file_limit() {
  rlimit limit{};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

void idle_polls(Report& report, std::size_t count) {
  raise_file_limit();
  Polls polls;
  Serving serving(polls);
  const double before = resident_mib();
  std::vector<int> sockets;
  const std::string request = post_request("/leases", R"({"workerId":"w","waitSeconds":60})");
  for (std::size_t n = 0; n < count; ++n) {
    const int socket = connect_to(serving.port);
    if (socket < 0 || ::send(socket, request.data(), request.size(), 0) < 0) break;
    sockets.push_back(socket);
  }
  while (polls.arrived < sockets.size()) std::this_thread::yield();
  const double memory = resident_mib() - before;
  const double used = processor_seconds();
  const Stopwatch watch;
  std::this_thread::sleep_for(std::chrono::seconds(5));
  const double part = (processor_seconds() - used) / watch.seconds() * 100;
  report.say(fmt::format("{} idle long polls: usage, and their limit", sockets.size()));
  report.line("memory", memory, 160, " MiB", at_most(1));
  report.line("of a processor", part, 3, " %", at_most(1));
  for (const int socket : sockets) ::close(socket);
  const Stopwatch leaving;
  while (polls.gone < sockets.size() && leaving.seconds() < 10) std::this_thread::yield();
  report.say(fmt::format("{} of them were noticed to have left after {:.0f} ms", polls.gone.load(),
                         leaving.seconds() * 1000));
}

}  // namespace

int main(int argc, char** argv) {
  double seconds = 1;
  std::size_t polls = 10'000;
  for (int n = 1; n + 1 < argc; n += 2) {
    const std::string_view name = argv[n];
    if (name == "--seconds") seconds = std::stod(argv[n + 1]);
    if (name == "--polls") polls = std::stoul(argv[n + 1]);
  }
  Report report;
  idle_polls(report, polls);
  compare(report, seconds);
  for (const std::string& missed : report.missed()) fmt::print("missed: {}\n", missed);
  return report.missed().empty() ? 0 : 1;
}
