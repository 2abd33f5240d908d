// What a durable job costs over HTTP, beside a Beast server that does nothing and beside the
// library in this process: enqueueing, and life cycles with pulling workers.
// Usage: longshore_bench_http [--seconds N] [--dir FOLDER]
#include <fmt/format.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/http_echo.h"
#include "bench/http_load.h"
#include "bench/measure.h"
#include "client/http/http_client.h"
#include "client/server/server_leases.h"
#include "longshore/open.h"
#include "runtime/os_random.h"
#include "server/server.h"

using namespace longshore;
using namespace longshore::bench;

namespace {

constexpr int server_threads = 1;
constexpr int rounds = 3;
const std::string payload = R"({"to":"ada@example.org","text":")" + std::string(140, 'x') + "\"}";
const std::string job = R"({"jobType":"email.send","payload":)" + payload + "}";
const std::string answer_body =
    R"({"jobId":"01936b2e-7a10-7c3e-9d2f-3c1b7a5e9f00","status":"PENDING"})";

// A store of its own for each measurement, so that none pays for the backlog of another.
class Folder {
 public:
  explicit Folder(std::string path) : path_(std::move(path)) { clear(); }
  ~Folder() { clear(); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string url() const { return "sqlite:" + path_ + "/jobs.db"; }

 private:
  void clear() {
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  const std::string path_;
};

class Serving {
 public:
  explicit Serving(const Folder& folder) {
    Settings::Sources sources;
    sources.flags[find_option("store")] = {folder.url()};
    sources.flags[find_option("listen")] = {"127.0.0.1:0"};
    sources.flags[find_option("io-threads")] = {std::to_string(server_threads)};
    server_ = Server::start(Settings::from(std::move(sources)).value(), log_).value();
  }
  std::uint16_t port() const { return server_->address().port; }
  std::string url() const { return "http://" + server_->address().text(); }

 private:
  Log log_{LogFormat::human, LogLevel::error};
  std::unique_ptr<Server> server_;
};

struct Cost {
  double per_second = 0;
  double micros = 0;  // of processor time for each, without the clients'
  double p99 = 0;
};

Cost over_http(std::uint16_t port, int connections, double seconds) {
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

// As often as it can be done by `threads` callers; each call answers how many it did, 0 to end.
Cost by_threads(int threads, double seconds, const std::function<int()>& once) {
  const double before = processor_seconds();
  const Stopwatch watch;
  std::atomic<std::int64_t> done = 0;
  {
    std::vector<std::jthread> callers;
    for (int i = 0; i < threads; ++i) {
      callers.emplace_back([&] {
        while (watch.seconds() < seconds) {
          const int count = once();
          if (count == 0) return;
          done += count;
        }
      });
    }
  }
  const auto count = static_cast<double>(done.load());
  return {count / watch.seconds(), (processor_seconds() - before) / count * 1e6, 0};
}

Cost in_process(const Folder& folder, int callers, double seconds) {
  auto store = open(folder.url()).value();
  Client client = store.client();
  return by_threads(callers, seconds, [&] {
    return client.enqueue({.type = "email.send", .payload = payload}).ok() ? 1 : 0;
  });
}

void enqueue(Report& report, const std::string& dir, double seconds) {
  report.say("enqueue, durable, 250 bytes, one thread reads sockets; ours, bare Beast, ratio");
  const HttpEcho echo(server_threads, answer_body);
  for (const int connections : {1, 16, 64, 256}) {
    Pairs rate;
    Pairs library;
    Pairs micros;
    std::vector<double> rest;
    std::vector<double> p99;
    for (int round = 0; round < rounds; ++round) {
      const Cost beast = over_http(echo.port(), connections, seconds);
      const Folder served(dir + "/served");
      const Serving serving(served);
      const Cost ours = over_http(serving.port(), connections, seconds);
      const Folder embedded(dir + "/embedded");
      const Cost inside = in_process(embedded, connections, seconds);
      rate.add(ours.per_second, beast.per_second);
      library.add(ours.per_second, inside.per_second);
      micros.add(ours.micros, beast.micros);
      rest.push_back(ours.micros - beast.micros - inside.micros);
      p99.push_back(ours.p99);
    }
    const std::string name = fmt::format("{} connections", connections);
    report.line(name + ", beside Beast", rate, "/s", connections == 64 ? at_least(0.35) : Bar());
    report.line(name + ", beside the library", library, "/s");
    report.line(name + ", processor", micros, " us");
    report.say(fmt::format("  p99 {:.2f} ms; neither Beast nor the library: {:.1f} us", median(p99),
                           median(rest)));
  }
}

void fill(Client client, int jobs) {
  std::vector<JobRequest> batch;
  for (int i = 0; i < jobs; ++i) batch.push_back({.type = "email.send", .payload = payload});
  for (int i = 0; i < jobs; i += 10'000) {
    const auto end = std::min(i + 10'000, jobs);
    const bool stored = client.enqueue_all({batch.begin() + i, batch.begin() + end}).ok();
    if (!stored) std::abort();
  }
}

// Claims `limit` jobs and completes them, as often as it can.
Cost pull(Leases& leases, int workers, int limit, double seconds) {
  return by_threads(workers, seconds, [&leases, limit] {
    auto held = leases.claim({.worker = "bench", .limit = limit}, Duration());
    if (!held || held->empty()) return 0;
    std::vector<Command> words;
    for (const Lease& lease : *held) {
      words.emplace_back(Complete{.job = lease.job, .token = lease.token});
    }
    return leases.tell(std::move(words)).ok() ? static_cast<int>(held->size()) : 0;
  });
}

void lifecycle(Report& report, const std::string& dir, double seconds) {
  report.say("claim and complete, 16 workers; over HTTP, by the library in this process, ratio");
  for (const int limit : {1, 64}) {
    const int jobs = limit == 1 ? 60'000 : 200'000;
    Pairs rate;
    for (int round = 0; round < rounds; ++round) {
      const Folder folder(dir + "/pulled");
      {
        auto store = open(folder.url()).value();
        fill(store.client(), jobs);
      }
      Cost served;
      {
        const Serving serving(folder);
        ServerLeases leases(HttpClient::make({.url = serving.url()}).value(), "bench",
                            std::make_unique<OsRandom>());
        served = pull(leases, 16, limit, seconds);
      }
      auto store = open(folder.url()).value();
      rate.add(served.per_second, pull(*store.leases(), 16, limit, seconds).per_second);
    }
    report.line(limit == 1 ? "one at a time" : fmt::format("{} at a time", limit), rate, "/s");
  }
}

}  // namespace

int main(int argc, char** argv) {
  double seconds = 2;
  std::string dir = "build/bench-data";
  for (int n = 1; n + 1 < argc; n += 2) {
    const std::string_view name = argv[n];
    if (name == "--seconds") seconds = std::stod(argv[n + 1]);
    if (name == "--dir") dir = argv[n + 1];
  }
  Report report;
  // While other programs use the processors, a bar is neither reached nor missed.
  report.contended(processor_pressure() > 0.3);
  report.say(fmt::format("processors were waited for {:.0f} % of the last ten seconds",
                         processor_pressure() * 100));
  enqueue(report, dir, seconds);
  lifecycle(report, dir, seconds);
  for (const std::string& missed : report.missed()) fmt::print("missed: {}\n", missed);
  for (const std::string& bar : report.not_shown())
    fmt::print("undecided, machine too busy: {}\n", bar);
  return report.missed().empty() ? 0 : 1;
}
