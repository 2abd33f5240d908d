#include "storm/weather.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <thread>
#include <vector>

#include "checker/calls.h"
#include "checker/history_writer.h"
#include "core/clock.h"
#include "core/mutex.h"
#include "core/random.h"
#include "core/uuid.h"
#include "longshore/store.h"

namespace longshore::storm {
namespace {

constexpr auto longest_silence = std::chrono::seconds(30);

// Counts answers, so that somebody may wait for the next ones.
class Progress {
 public:
  void answered() {
    MutexLock lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  // False if nobody answered for a long time.
  bool wait_for_more(std::int64_t more) {
    MutexLock lock(mutex_);
    const std::int64_t wanted = count_ + more;
    while (count_ < wanted) {
      const std::int64_t before = count_;
      const bool moved = changed_.wait_for(mutex_, longest_silence, [&] {
        mutex_.assert_held();
        return count_ > before;
      });
      if (!moved) return false;
    }
    return true;
  }
  std::int64_t count() {
    MutexLock lock(mutex_);
    return count_;
  }

 private:
  Mutex mutex_;
  std::condition_variable_any changed_;
  std::int64_t count_ LONGSHORE_GUARDED_BY(mutex_) = 0;
};

// What everybody in the storm shares.
struct World {
  checker::HistoryWriter history;
  Progress progress;
  SystemClock clock;
  std::atomic<std::int64_t> unanswered = 0;
  std::atomic<std::int64_t> leased = 0;
  std::atomic<int> producers = 0;  // at work
  std::atomic<bool> producing = true;
  std::atomic<bool> working = true;

  void fail(const Error& error) {
    unanswered += 1;
    MutexLock lock(mutex);
    last_error = error.message;
  }
  std::string trouble() {
    MutexLock lock(mutex);
    return last_error;
  }

  Mutex mutex;
  std::string last_error LONGSHORE_GUARDED_BY(mutex);
};

// One thread's way to the store.
class Client {
 public:
  Client(World& shared, Store& store, std::string name, std::uint64_t seed)
      : world(shared), random(seed), store_(store), name_(std::move(name)) {}

  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // Says it again until it is answered, or the storm is over.
  std::optional<Verdict> send(const Command& command) {
    while (world.working) {
      const std::int64_t op = world.history.invoke(name_, checker::call_of(command));
      const Result<Committed> committed = store_.commit({&command, 1});
      if (committed.ok()) return heard(op, *committed);
      if (committed.error().code == Errc::unavailable) {
        world.history.info(op);
      } else {
        world.history.fail(op, to_text(committed.error().code));
      }
      world.fail(committed.error());
    }
    return std::nullopt;
  }

  JobId new_id() { return ids_.next(world.clock.now()); }
  RequestId request() { return random_id<RequestId>(random); }
  const std::string& name() const { return name_; }

  World& world;
  SeededRandom random;

 private:
  Verdict heard(std::int64_t op, const Committed& committed) {
    const Verdict& verdict = committed.verdicts.front();
    if (const auto* refusal = std::get_if<Refusal>(&verdict)) {
      world.history.fail(op, to_text(refusal->code), committed.at);
    } else {
      checker::Answer answer = checker::answer_of(verdict);
      answer.at = committed.at;
      world.history.ok(op, std::move(answer));
    }
    world.progress.answered();
    return verdict;
  }

  Store& store_;
  const std::string name_;
  JobIds ids_{random};
};

NewJob new_job(Client& client, std::int64_t serial) {
  NewJob job;
  job.id = client.new_id();
  job.type = client.random.chance(0.5) ? "mail" : "bill";
  job.priority = static_cast<int>(client.random.below(10));
  job.body.payload = fmt::format(R"("{}/{}")", client.name(), serial);
  job.policy.max_retries = 2;
  if (client.random.chance(0.3)) job.delay = Duration::millis(50);
  if (client.random.chance(0.3)) job.idempotency_key = fmt::format("{}/{}", client.name(), serial);
  return job;
}

void produce(Client& client) {
  for (std::int64_t serial = 1; client.world.producing;) {
    Enqueue enqueue{.ns = "main"};
    const std::uint64_t count = client.random.chance(0.3) ? 2 + client.random.below(6) : 1;
    for (std::uint64_t n = 0; n < count; ++n) enqueue.jobs.push_back(new_job(client, serial++));
    client.send(enqueue);
    if (client.random.chance(0.05)) client.send(enqueue);
  }
}

void finish(Client& client, const Lease& lease) {
  if (client.random.chance(0.2)) {
    client.send(Heartbeat{.id = client.request(),
                          .ns = "main",
                          .job = lease.job,
                          .token = lease.token,
                          .progress = 50});
  }
  const double fate = client.random.fraction();
  if (fate < 0.85) {
    client.send(Complete{.ns = "main",
                         .job = lease.job,
                         .token = lease.token,
                         .result = fmt::format(R"("{}")", client.name())});
  } else if (fate < 0.93) {
    client.send(Fail{.ns = "main",
                     .job = lease.job,
                     .token = lease.token,
                     .error = {.code = "E_NET", .message = "no way"},
                     .retry_after = Duration::millis(20)});
  } else if (fate < 0.97) {
    client.send(Release{.ns = "main", .job = lease.job, .token = lease.token});
  } else if (fate < 0.99) {
    client.send(Cancel{.ns = "main", .job = lease.job, .force = true});
  }
  // The rest is forgotten, and its lease runs out.
}

void consume(Client& client) {
  while (client.world.working) {
    Claim claim{.id = client.request(), .ns = "main", .worker = client.name()};
    claim.limit = 1 + static_cast<int>(client.random.below(4));
    claim.lease = Duration::seconds(2);
    const auto verdict = client.send(claim);
    const auto* leased = verdict ? std::get_if<Leased>(&*verdict) : nullptr;
    if (leased == nullptr) continue;
    client.world.leased += std::ssize(leased->leases);
    for (const Lease& lease : leased->leases) finish(client, lease);
  }
}

void sweep(Client& client, const NodeId& node) {
  client.send(StartNode{.node = node, .name = client.name()});
  while (client.world.working) {
    for (const Command& chore :
         {Command(Due{}), Command(Reap{}), Command(Sweep{}), Command(Prune{}),
          Command(SeeNode{.node = node, .name = client.name()})}) {
      client.send(chore);
    }
  }
}

using Stores = std::vector<std::unique_ptr<Backend>>;

std::vector<std::jthread> set_sail(World& world, const Stores& stores,
                                   const StormOptions& options) {
  SeededRandom seeds(options.seed);
  std::vector<std::jthread> threads;
  const auto sail = [&](Store& store, const std::string& name, auto work) {
    threads.emplace_back([&world, &store, name, work, seed = seeds.next()] {
      Client client(world, store, name, seed);
      work(client);
    });
  };
  for (std::size_t n = 0; n < stores.size(); ++n) {
    Store& store = stores[n]->store();
    const NodeId node{.high = 7, .low = n + 1};
    for (int i = 0; i < options.producers; ++i) {
      world.producers += 1;
      sail(store, fmt::format("producer{}.{}", i, n), [](Client& client) {
        produce(client);
        client.world.producers -= 1;
      });
    }
    for (int i = 0; i < options.workers; ++i) {
      sail(store, fmt::format("worker{}.{}", i, n), consume);
    }
    sail(store, fmt::format("node{}", n), [node](Client& client) { sweep(client, node); });
  }
  return threads;
}

std::int64_t count_unended(Catalog& catalog) {
  std::int64_t count = 0;
  const auto queues = catalog.queues("main");
  if (!queues) return -1;
  for (const QueueView& queue : *queues) {
    for (const auto& [state, depth] : queue.depth) count += is_terminal(state) ? 0 : depth;
  }
  return count;
}

// Blow after blow, each after some more answers. False if the answers stopped.
bool rage(World& world, const StormOptions& options, Storm& storm) {
  SeededRandom random(options.seed + 1);
  for (int i = 0; i < options.blows; ++i) {
    const auto calm = static_cast<std::int64_t>(30 + random.below(100));
    if (!world.progress.wait_for_more(calm)) return false;
    world.history.nemesis("blow", "server");
    options.blow();
    const Instant over = world.clock.now();
    if (!world.progress.wait_for_more(1)) return false;
    storm.longest_outage = std::max(storm.longest_outage, world.clock.now() - over);
  }
  return true;
}

// The producers go on until something was worked on, and the workers until nothing is left to do:
// also of what a producer was still saying when it was told to stop.
void drain(World& world, Catalog& catalog, Storm& storm) {
  storm.unended = -1;  // not known
  for (int round = 0; round < 2000; ++round) {
    if (!world.progress.wait_for_more(20)) break;
    if (world.leased > 0) world.producing = false;
    if (world.producing || world.producers > 0) continue;
    storm.unended = count_unended(catalog);
    if (storm.unended == 0) return;
  }
}

}  // namespace

Storm weather(const StormOptions& options) {
  Storm storm;
  World world;
  Stores stores;
  for (int i = 0; i < options.nodes; ++i) {
    auto opened = options.open();
    if (!opened) return {.problem = opened.error().message};
    stores.push_back(std::move(*opened));
  }
  Catalog& catalog = stores.front()->catalog();
  {
    const std::vector<std::jthread> threads = set_sail(world, stores, options);
    const bool answered = rage(world, options, storm);
    if (answered) {
      drain(world, catalog, storm);
    } else {
      storm.problem = "nobody was answered any more: " + world.trouble();
    }
    world.producing = false;
    world.working = false;
  }
  storm.acknowledged = world.progress.count();
  storm.unanswered = world.unanswered;
  const auto dumped = checker::dump_store(catalog, world.history);
  if (!dumped && storm.problem.empty()) storm.problem = dumped.error().message;
  const auto audit = catalog.audit();
  if (audit && !audit->sound()) storm.problem = "unsound: " + audit->findings[0].what;
  const checker::History history = world.history.take();
  storm.jobs = std::ssize(history.jobs);
  checker::Options judging;
  judging.required = {"acked", "grants"};
  storm.judgement = checker::judge(history, judging);
  return storm;
}

std::string to_text(const Storm& storm, const std::string& blows) {
  return fmt::format(
      "storm: {}: {} jobs, {} requests acknowledged, {} unanswered, longest outage {} ms, {} not "
      "ended, {} violations{}{}\n",
      blows, storm.jobs, storm.acknowledged, storm.unanswered, storm.longest_outage.count(),
      storm.unended, storm.judgement.violation_count, storm.problem.empty() ? "" : "; ",
      storm.problem);
}

bool survived(const Storm& storm) {
  return storm.problem.empty() && storm.acknowledged > 0 && storm.unanswered > 0 &&
         storm.unended == 0 && storm.judgement.valid();
}

}  // namespace longshore::storm
