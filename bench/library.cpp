#include "bench/library.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include "bench/callers.h"
#include "core/policy/profiles.h"
#include "longshore/longshore.h"
#include "runtime/node/node.h"
#include "runtime/os_random.h"

namespace longshore::bench {
namespace {

using Steady = std::chrono::steady_clock;

JobRequest request() {
  static const std::string payload =
      R"({"to":"somebody@example.org","body":")" + std::string(payload_bytes - 39, 'x') + R"("})";
  return {.type = "work", .payload = payload};
}

double context_switches() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_nvcsw + usage.ru_nivcsw);
}

struct Scheduled {
  double ran = 0;
  double waited = 0;  // for a processor; both in seconds
};

Scheduled scheduled(const std::filesystem::path& thread) {
  std::ifstream file(thread / "schedstat");
  Scheduled nanos;
  file >> nanos.ran >> nanos.waited;
  return {nanos.ran * 1e-9, nanos.waited * 1e-9};
}

// What the threads that live now have waited for a processor since they began.
double waited_so_far() {
  double sum = 0;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    sum += scheduled(thread.path()).waited;
  }
  return sum;
}

template <class T>
T must(Result<T> result) {
  if (!result) give_up("the library failed: " + result.error().message);
  return std::move(*result);
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
    thread = ::gettid();
    const Stopwatch watch;
    Result<Committed> committed = inner_->store().commit(commands);
    commits += 1;
    seconds = seconds + watch.seconds();
    if (committed) count(committed->verdicts);
    return committed;
  }
  std::atomic<std::int64_t> commits = 0;
  std::atomic<std::int64_t> joined = 0;
  std::atomic<double> seconds = 0;  // one thread writes
  std::atomic<pid_t> thread = 0;

 private:
  // Jobs are handed out in the order in which they came.
  void count(const std::vector<Verdict>& verdicts) {
    std::int64_t leased = 0;
    std::int64_t brought = 0;
    for (const Verdict& verdict : verdicts) {
      if (const auto* some = std::get_if<Leased>(&verdict)) leased += std::ssize(some->leases);
      if (const auto* some = std::get_if<Enqueued>(&verdict)) brought += std::ssize(some->jobs);
    }
    joined += std::max<std::int64_t>(leased - backlog_, 0);
    backlog_ += brought - leased;
  }

  std::unique_ptr<Backend> inner_;
  std::int64_t backlog_ = 0;
};

// What open() does, with the store's calls counted.
class OpenLibrary {
 public:
  explicit OpenLibrary(const std::string& path) {
    const Rules rules = *profile("native");
    auto backend =
        std::make_unique<CountedBackend>(must(open_sqlite({.path = path}, time_->wall(), rules)));
    counted_ = backend.get();
    node_ = must(Node::make({.time = time_,
                             .random = std::make_unique<OsRandom>(),
                             .backend = std::move(backend),
                             .rules = rules,
                             .options = {}}));
    must(node_->start());
    longshore_ = std::make_unique<Longshore>(node_);
  }

  const Longshore& longshore() const { return *longshore_; }
  double commits() const { return static_cast<double>(counted_->commits); }
  double joined() const { return static_cast<double>(counted_->joined); }
  double in_store() const { return counted_->seconds; }

  // Of the committing thread, so far.
  Scheduled committer() const {
    return scheduled("/proc/self/task/" + std::to_string(counted_->thread));
  }

  std::int64_t unfinished() const {
    std::int64_t count = 0;
    for (const QueueView& queue : must(longshore_->catalog().queues("default"))) {
      for (const auto& [state, depth] : queue.depth) count += is_terminal(state) ? 0 : depth;
    }
    return count;
  }

 private:
  const std::shared_ptr<Timekeeper> time_ = std::make_shared<SystemTime>();
  CountedBackend* counted_ = nullptr;
  std::shared_ptr<Node> node_;
  std::unique_ptr<Longshore> longshore_;
};

// One thread's lifecycles, a whole commit of them at a time.
class Mill {
 public:
  explicit Mill(Store& store) : store_(store) {}

  // Settles what the last turn handed out, brings in so many and hands so many out.
  void turn(std::int64_t in, std::int64_t out) {
    std::vector<Command> commands;
    for (const Lease& lease : held_) {
      commands.emplace_back(Complete{.ns = "default", .job = lease.job, .token = lease.token});
    }
    for (std::int64_t i = 0; i < in; ++i) commands.emplace_back(new_job());
    for (std::int64_t i = 0; i < out; ++i) commands.emplace_back(new_claim());
    Committed committed = must(store_.commit(commands));
    held_.clear();
    for (Verdict& verdict : committed.verdicts) {
      if (std::holds_alternative<Refusal>(verdict)) give_up("the store refused a command");
      auto* leased = std::get_if<Leased>(&verdict);
      if (leased != nullptr) std::ranges::move(leased->leases, std::back_inserter(held_));
    }
  }
  bool holds_some() const { return !held_.empty(); }

 private:
  Enqueue new_job() {
    Enqueue enqueue{.ns = "default"};
    enqueue.jobs.push_back({.id = ids_.next(clock_.now()), .type = request().type});
    enqueue.jobs.back().body.payload = request().payload;
    return enqueue;
  }
  Claim new_claim() {
    return {.id = random_id<RequestId>(random_),
            .ns = "default",
            .worker = "worker-1",
            .types = std::vector<std::string>{request().type}};
  }

  Store& store_;
  SystemClock clock_;
  OsRandom random_;
  JobIds ids_{random_};
  std::vector<Lease> held_;
};

void produce(Client client, std::atomic<std::int64_t>& left) {
  while (left.fetch_sub(1) > 0) must(client.enqueue(request()));
}

}  // namespace

LibraryRun through_library(const std::string& path, std::int64_t jobs) {
  const OpenLibrary library(path);
  std::latch done(jobs);
  std::atomic<std::int64_t> left = jobs;
  Worker worker(library.longshore(), {.concurrency = slots});
  worker.handle("work", [&](Context&) {
    done.count_down();
    return ok();
  });
  must(worker.start());
  LibraryRun run{.processor = -processor_seconds(),
                 .machine = -machine_seconds(),
                 .commits = -library.commits(),
                 .in_store = -library.in_store(),
                 .switches = -context_switches()};
  const Stopwatch watch;
  {
    std::vector<std::jthread> crowd;
    for (int i = 0; i < producers; ++i) {
      crowd.emplace_back([&] { produce(library.longshore().client(), left); });
    }
  }
  done.wait();
  worker.stop();  // returns once the last outcome is written
  run.seconds = watch.seconds();
  run.processor += processor_seconds();
  run.machine += machine_seconds();
  run.commits += library.commits();
  run.joined = library.joined();
  run.in_store += library.in_store();
  run.committer_ran = library.committer().ran;
  run.committer_waited = library.committer().waited;
  run.switches += context_switches();
  if (library.unfinished() > 0) give_up("some jobs were not done in the end");
  return run;
}

StoreRun by_store_alone(const std::string& path, std::int64_t jobs, std::int64_t batch,
                        std::int64_t waiting) {
  OpenStore store(path);
  Mill mill(store.store());
  StoreRun run{.processor = -processor_seconds(), .switches = -context_switches()};
  const ThreadWatch watch;
  mill.turn(waiting, 0);
  std::int64_t left = jobs - waiting;
  std::int64_t unclaimed = jobs;
  while (unclaimed > 0 || mill.holds_some()) {
    const std::int64_t in = std::min(left, batch);
    const std::int64_t out = std::min(unclaimed, batch);
    mill.turn(in, out);
    left -= in;
    unclaimed -= out;
  }
  run.took = watch.took();
  run.processor += processor_seconds();
  run.switches += context_switches();
  return run;
}

IdleRun when_idle(const std::string& path, int jobs) {
  constexpr auto pause = std::chrono::milliseconds(5);
  const OpenLibrary library(path);
  Worker worker(library.longshore(), {.concurrency = 4});
  std::atomic<Steady::time_point> started;
  worker.handle("work", [&](Context&) {
    started = Steady::now();
    return ok();
  });
  must(worker.start());
  Client client = library.longshore().client();
  IdleRun run{.waited = -waited_so_far()};
  for (int i = 0; i < jobs; ++i) {
    const auto sent = Steady::now();
    const JobId id = must(client.enqueue(request())).id;
    must(client.result(id, Duration::seconds(30)));
    run.millis.push_back(std::chrono::duration<double, std::milli>(started.load() - sent).count());
    std::this_thread::sleep_for(pause);
  }
  run.waited = (run.waited + waited_so_far()) / jobs * 1e3;
  return run;
}

}  // namespace longshore::bench
