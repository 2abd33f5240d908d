// How much of the store's own speed reaches a program that uses the library: whole lifecycles of
// durable jobs through Client and Worker, beside the store alone in the same run at the same size
// of commit; and how long an idle worker takes to start a job. Usage: engine FOLDER [SECONDS]
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <thread>
#include <vector>

#include "core/profiles.h"
#include "longshore/longshore.h"
#include "runtime/node.h"
#include "runtime/os_random.h"
#include "runtime/store_url.h"

using namespace longshore;
using Steady = std::chrono::steady_clock;

namespace {

const std::string payload = R"({"to":"ada@example.org","text":")" + std::string(160, 'x') + "\"}";
constexpr int producers = 64;
constexpr int slots = 64;

double seconds_since(Steady::time_point start) {
  return std::chrono::duration<double>(Steady::now() - start).count();
}

long context_switches() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw + usage.ru_nivcsw;
}

// Passes everything on and counts.
class CountedBackend final : public Backend, public Store {
 public:
  explicit CountedBackend(std::unique_ptr<Backend> inner) : inner_(std::move(inner)) {}
  Store& store() override { return *this; }
  Catalog& catalog() override { return inner_->catalog(); }
  Wakeups& wakeups() override { return inner_->wakeups(); }
  const Capabilities& capabilities() const override { return inner_->store().capabilities(); }
  Result<Committed> commit(std::span<const Command> commands) override {
    commits += 1;
    const auto start = Steady::now();
    Result<Committed> committed = inner_->store().commit(commands);
    busy_nanos += (Steady::now() - start).count();
    return committed;
  }
  std::atomic<long> commits = 0;
  std::atomic<long> busy_nanos = 0;

 private:
  std::unique_ptr<Backend> inner_;
};

struct Opened {
  std::shared_ptr<Timekeeper> time = std::make_shared<SystemTime>();
  CountedBackend* counted = nullptr;
  std::shared_ptr<Node> node;
};

Opened open_counted(const std::string& url) {
  Opened opened;
  const Rules rules = *profile("native");
  auto backend =
      std::make_unique<CountedBackend>(open_store(url, opened.time->wall(), rules).value());
  opened.counted = backend.get();
  opened.node = Node::make({.time = opened.time,
                            .random = std::make_unique<OsRandom>(),
                            .backend = std::move(backend),
                            .rules = rules,
                            .options = {}})
                    .value();
  opened.node->start().value();
  return opened;
}

struct Measured {
  double per_second = 0;
  double commit_size = 0;  // jobs that went through per commit
  double switches = 0;     // of context, per job
  double busy = 0;         // the part of the time in which the store was at work
  double backlog = 0;      // when the last job was enqueued
};

// Counts only whole lifecycles: from the first enqueue until the last job is done, so that a
// backlog is neither left behind nor counted.
Measured through_library(const std::string& url, double seconds) {
  Opened opened = open_counted(url);
  Longshore longshore(opened.node);
  std::atomic<long> sent = 0;
  std::atomic<long> done = 0;
  Worker worker(longshore, {.concurrency = slots});
  worker.handle("bench", [&](Context&) {
    done += 1;
    done.notify_all();
    return ok();
  });
  worker.start().value();
  const long commits_before = opened.counted->commits;
  const long switches_before = context_switches();
  const auto start = Steady::now();
  {
    std::vector<std::jthread> crowd;
    for (int i = 0; i < producers; ++i) {
      crowd.emplace_back([&, client = longshore.client()]() mutable {
        while (seconds_since(start) < seconds) {
          client.enqueue({.type = "bench", .payload = payload}).value();
          sent += 1;
        }
      });
    }
  }
  const double backlog = static_cast<double>(sent - done);
  for (long so_far = done; so_far < sent; so_far = done) done.wait(so_far);
  const double took = seconds_since(start);
  const auto jobs = static_cast<double>(sent);
  worker.stop();
  return {.per_second = jobs / took,
          .commit_size = jobs / static_cast<double>(opened.counted->commits - commits_before),
          .switches = static_cast<double>(context_switches() - switches_before) / jobs,
          .busy = static_cast<double>(opened.counted->busy_nanos) / 1e9 / took,
          .backlog = backlog};
}

// The same commands in one thread: each commit settles what the one before handed out, brings in
// as much and hands out as much.
double store_alone(const std::string& url, int size, double seconds) {
  SystemTime time;
  auto backend = open_store(url, time.wall(), *profile("native")).value();
  Ids ids(std::make_unique<OsRandom>());
  std::vector<Lease> held;
  long done = 0;
  const auto start = Steady::now();
  while (seconds_since(start) < seconds) {
    std::vector<Command> commands;
    for (const Lease& lease : held) {
      commands.emplace_back(Complete{.ns = "default", .job = lease.job, .token = lease.token});
    }
    done += static_cast<long>(held.size());
    held.clear();
    for (int i = 0; i < size; ++i) {
      NewJob job{.id = ids.job(time.wall().now()), .type = "bench"};
      job.body.payload = payload;
      commands.emplace_back(Enqueue{.ns = "default", .jobs = {std::move(job)}});
    }
    for (int i = 0; i < size; ++i) {
      commands.emplace_back(Claim{.id = ids.any<RequestId>(),
                                  .ns = "default",
                                  .worker = "bench",
                                  .types = std::vector<std::string>{"bench"}});
    }
    Committed committed = backend->store().commit(commands).value();
    for (Verdict& verdict : committed.verdicts) {
      if (auto* leased = std::get_if<Leased>(&verdict)) {
        for (Lease& lease : leased->leases) held.push_back(std::move(lease));
      }
    }
  }
  return static_cast<double>(done) / seconds_since(start);
}

std::vector<double> idle_latencies(const std::string& url, int count) {
  Opened opened = open_counted(url);
  Longshore longshore(opened.node);
  Worker worker(longshore, {.concurrency = 4});
  std::atomic<Steady::time_point> started;
  worker.handle("bench", [&](Context&) {
    started = Steady::now();
    return ok();
  });
  worker.start().value();
  Client client = longshore.client();
  std::vector<double> millis;
  for (int i = 0; i < count; ++i) {
    const auto sent = Steady::now();
    const JobId id = client.enqueue({.type = "bench", .payload = payload}).value().id;
    client.wait(id, Duration::seconds(30)).value();
    millis.push_back(std::chrono::duration<double, std::milli>(started.load() - sent).count());
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  std::ranges::sort(millis);
  return millis;
}

}  // namespace

int main(int argc, char** argv) {
  const std::filesystem::path folder = argc > 1 ? argv[1] : "bench-engine";
  const double seconds = argc > 2 ? std::stod(argv[2]) : 5;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const auto url = [&](const char* name) { return "sqlite:" + (folder / name).string(); };

  const Measured library = through_library(url("library.db"), seconds);
  const int size = std::max(static_cast<int>(library.commit_size + 0.5), 1);
  const double alone = store_alone(url("alone.db"), size, seconds);
  const double alone_256 = store_alone(url("alone256.db"), 256, seconds);
  const std::vector<double> idle = idle_latencies(url("idle.db"), 300);

  fmt::print("whole durable lifecycles, {} producers and {} slots\n", producers, slots);
  fmt::print("  through Client and Worker   {:9.0f} jobs/s\n", library.per_second);
  fmt::print("  the store alone, {:3} a commit {:8.0f} jobs/s   ratio {:.2f}\n", size, alone,
             library.per_second / alone);
  fmt::print("  the store alone, 256 a commit {:7.0f} jobs/s\n", alone_256);
  fmt::print("  mean commit                 {:9.1f} jobs\n", library.commit_size);
  fmt::print("  context switches per job    {:9.2f}\n", library.switches);
  fmt::print("  the store was busy          {:9.0f} %\n", library.busy * 100);
  fmt::print("  backlog at its largest      {:9.0f} jobs\n", library.backlog);
  fmt::print("idle, enqueue to handler      p50 {:.2f} ms, p99 {:.2f} ms\n", idle[idle.size() / 2],
             idle[idle.size() * 99 / 100]);
}
