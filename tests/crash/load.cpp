#include "crash/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "checker/calls.h"
#include "core/ids/random.h"
#include "core/ids/uuid.h"

namespace longshore::crash {
namespace {

// The store as one thread uses it.
class Client {
 public:
  Client(Store& store, Clock& clock, checker::HistoryWriter& history, std::string name,
         std::uint64_t seed)
      : random(seed), store_(store), clock_(clock), history_(history), name_(std::move(name)) {}

  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  // A store on a healthy disk has no reason for an error, so one ends the process and the test:
  // otherwise the history would contain a commit in doubt that no kill explains.
  Verdict send(const Command& command) {
    const std::int64_t op = history_.invoke(name_, checker::call_of(command));
    const Result<Committed> committed = store_.commit({&command, 1});
    if (!committed.ok()) {
      fmt::print(stderr, "{}: {}\n", name_, committed.error().message);
      std::_Exit(1);
    }
    const Verdict& verdict = committed->verdicts.front();
    if (const auto* refusal = std::get_if<Refusal>(&verdict)) {
      history_.fail(op, to_text(refusal->code), committed->at);
    } else {
      checker::Answer answer = checker::answer_of(verdict);
      answer.at = committed->at;
      history_.ok(op, std::move(answer));
    }
    return verdict;
  }

  JobId new_id() { return ids_.next(clock_.now()); }
  RequestId request() { return random_id<RequestId>(random); }
  const std::string& name() const { return name_; }

  SeededRandom random;

 private:
  Store& store_;
  Clock& clock_;
  checker::HistoryWriter& history_;
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
  if (client.random.chance(0.1)) job.job_key = fmt::format("key-{}", client.random.below(50));
  return job;
}

void produce(Client& client) {
  for (std::int64_t serial = 1;;) {
    Enqueue enqueue{.ns = "main"};
    const std::uint64_t count = client.random.chance(0.3) ? 2 + client.random.below(6) : 1;
    for (std::uint64_t n = 0; n < count; ++n) enqueue.jobs.push_back(new_job(client, serial++));
    client.send(enqueue);
    // Repeats the request, like a client whose answer was lost. Not with a job key: if the key was
    // taken the first time and is free now, the repeat creates the job.
    const bool keyed =
        std::ranges::any_of(enqueue.jobs, [](const NewJob& job) { return !job.job_key.empty(); });
    if (!keyed && client.random.chance(0.05)) client.send(enqueue);
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
  if (fate < 0.8) {
    const Complete complete{.ns = "main",
                            .job = lease.job,
                            .token = lease.token,
                            .result = fmt::format(R"("{}")", client.name())};
    client.send(complete);
    if (client.random.chance(0.05)) client.send(complete);
  } else if (fate < 0.9) {
    client.send(Fail{.ns = "main",
                     .job = lease.job,
                     .token = lease.token,
                     .error = {.code = "E_NET", .message = "no way"},
                     .retry_after = Duration::millis(20)});
  } else if (fate < 0.95) {
    client.send(Release{.ns = "main", .job = lease.job, .token = lease.token});
  } else if (fate < 0.97) {
    client.send(Cancel{.ns = "main", .job = lease.job, .force = true});
  }
  // The rest is abandoned, and its lease expires.
}

void consume(Client& client, const NodeId& node) {
  while (true) {
    Claim claim{.id = client.request(), .ns = "main", .worker = client.name(), .node = node};
    claim.limit = 1 + static_cast<int>(client.random.below(4));
    claim.lease = Duration::seconds(1);
    const Verdict verdict = client.send(claim);
    const auto* leased = std::get_if<Leased>(&verdict);
    if (leased == nullptr) continue;
    for (const Lease& lease : leased->leases) finish(client, lease);
  }
}

void sweep(Client& client, const NodeId& node) {
  while (true) {
    client.send(Due{});
    client.send(Reap{});
    client.send(Sweep{});
    client.send(Prune{});
    client.send(SeeNode{.node = node, .name = "harbour"});
  }
}

}  // namespace

void run_forever(Store& store, Clock& clock, checker::HistoryWriter& history, const Load& load) {
  SeededRandom seeds(load.seed);
  const auto name = [&](const char* what, int number) {
    return fmt::format("{}{}.{}", what, number, load.life);
  };
  Client starter(store, clock, history, name("node", 1), seeds.next());
  starter.send(StartNode{.node = load.node, .name = "harbour"});
  std::vector<std::thread> threads;
  for (int n = 1; n <= load.producers; ++n) {
    threads.emplace_back([&, me = name("producer", n), seed = seeds.next()] {
      Client client(store, clock, history, me, seed);
      produce(client);
    });
  }
  for (int n = 1; n <= load.workers; ++n) {
    threads.emplace_back([&, me = name("worker", n), seed = seeds.next()] {
      Client client(store, clock, history, me, seed);
      consume(client, load.node);
    });
  }
  sweep(starter, load.node);
  std::abort();
}

}  // namespace longshore::crash
