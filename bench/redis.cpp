// longshore_bench_redis [--dir DIRECTORY] [--jobs N] [--waiting N] [--fsync always|everysec]: how
// fast the Redis store is beside Lua written by hand, on the same server, in turns; what a waiting
// job costs in memory; and whether a claim is slower when very many wait.
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "bench/measure.h"
#include "bench/redis_hand.h"
#include "core/clock.h"
#include "core/random.h"
#include "core/uuid.h"
#include "redis/server.h"
#include "store/redis/inspection.h"
#include "store/redis/store.h"

namespace longshore::bench {
namespace {

constexpr int connections = 2;
constexpr int rounds = 5;
constexpr int claims_timed = 2000;

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "{}\n", why);
  std::exit(1);
}

// One thread's way to the store: commands in batches, as group commit makes them.
class Caller {
 public:
  Caller(Store& store, std::uint64_t seed) : store_(store), random_(seed), ids_(random_) {}

  void enqueue(int jobs) {
    std::vector<Command> commands;
    for (int i = 0; i < jobs; ++i) {
      NewJob job{.id = ids_.next(clock_.now()), .type = "work"};
      job.body.payload = std::string(198, 'x');
      commands.emplace_back(Enqueue{.ns = "default", .jobs = {std::move(job)}});
    }
    commit(commands);
  }
  // Claims so many and completes them. How many there were.
  int work(int jobs) { return complete(claim(jobs)); }

  int complete(const std::vector<Lease>& leases) {
    std::vector<Command> completes;
    for (const Lease& lease : leases) {
      completes.emplace_back(Complete{.ns = "default", .job = lease.job, .token = lease.token});
    }
    if (!completes.empty()) commit(completes);
    return static_cast<int>(completes.size());
  }
  // A claim for each job, as idle slots make them.
  std::vector<Lease> claim(int jobs) {
    std::vector<Command> commands;
    for (int i = 0; i < jobs; ++i) {
      commands.emplace_back(
          Claim{.id = random_id<RequestId>(random_), .ns = "default", .worker = "w"});
    }
    std::vector<Lease> leases;
    for (Verdict& verdict : commit(commands)) {
      auto* leased = std::get_if<Leased>(&verdict);
      if (leased == nullptr) give_up("a claim was refused");
      for (Lease& lease : leased->leases) leases.push_back(std::move(lease));
    }
    return leases;
  }

 private:
  std::vector<Verdict> commit(const std::vector<Command>& commands) {
    auto committed = store_.commit(commands);
    if (!committed) give_up(committed.error().message);
    for (const Verdict& verdict : committed->verdicts) {
      if (const auto* refusal = std::get_if<Refusal>(&verdict)) give_up(refusal->detail);
    }
    return std::move(committed->verdicts);
  }

  Store& store_;
  SystemClock clock_;
  SeededRandom random_;
  JobIds ids_;
};

// Runs `act(number)` on each connection's thread until all have done their share. Jobs a second.
template <class Act>
double rate(std::int64_t jobs, int batch, const Act& act) {
  const Stopwatch watch;
  {
    std::vector<std::jthread> threads;
    for (int me = 0; me < connections; ++me) {
      threads.emplace_back([&, me] {
        for (std::int64_t done = 0; done < jobs / connections; done += batch) act(me);
      });
    }
  }
  return static_cast<double>(jobs) / watch.seconds();
}

void measure(Report& report, Store& store, const std::string& url, int batch, std::int64_t jobs) {
  std::vector<std::unique_ptr<Caller>> ours;
  std::vector<std::unique_ptr<RedisByHand>> hand;
  for (int i = 0; i < connections; ++i) {
    ours.push_back(std::make_unique<Caller>(store, static_cast<std::uint64_t>(batch * 10 + i)));
    hand.push_back(std::make_unique<RedisByHand>(url));
  }
  Pairs enqueue;
  Pairs lifecycle;
  for (int round = 0; round <= rounds; ++round) {
    const auto at = [](auto& all, int me) -> auto& { return *all[static_cast<std::size_t>(me)]; };
    const double our = rate(jobs, batch, [&](int me) { at(ours, me).enqueue(batch); });
    const double by_hand = rate(jobs, batch, [&](int me) { at(hand, me).enqueue(batch); });
    const double our_work = rate(jobs, batch, [&](int me) { at(ours, me).work(batch); });
    const double hand_work = rate(jobs, batch, [&](int me) { at(hand, me).work(batch); });
    if (round == 0) continue;  // scripts and caches are warm from here on
    enqueue.add(our, by_hand);
    lifecycle.add(1 / (1 / our + 1 / our_work), 1 / (1 / by_hand + 1 / hand_work));
  }
  const Bar bar = batch == 256 ? at_least(0.8) : Bar{};
  report.line(fmt::format("enqueue.batch-{}", batch), enqueue, "/s", bar);
  report.line(fmt::format("lifecycle.batch-{}", batch), lifecycle, "/s", bar);
}

std::int64_t memory_used(const redis_test::OwnServers& servers) {
  return redis::read_info(servers.ask({"INFO", "memory"}).text).memory_used;
}

// A million new jobs make Redis rewrite its log, in a process beside it that takes a processor for
// some seconds. That is the filling's cost, not the claims'.
void await_rewrite(const redis_test::OwnServers& servers) {
  const bool ended = redis_test::wait_until([&] {
    const std::string info = servers.ask({"INFO", "persistence"}).text;
    return info.find("aof_rewrite_in_progress:0") != info.npos &&
           info.find("aof_rewrite_scheduled:0") != info.npos;
  });
  if (!ended) give_up("Redis does not end rewriting its log");
}

// The slowest of a hundred claims, while as many wait as did before.
double claim_p99(Caller& caller) {
  std::vector<double> took;
  for (int i = 0; i < claims_timed; ++i) {
    const ThreadWatch watch;
    const std::vector<Lease> leases = caller.claim(1);
    took.push_back(watch.took().undisturbed() * 1000);
    caller.complete(leases);
    caller.enqueue(1);
  }
  return quantile(took, 0.99);
}

void measure_waiting(Report& report, Store& store, const redis_test::OwnServers& servers,
                     std::int64_t waiting) {
  Caller caller(store, 99);
  while (caller.work(256) > 0) {
  }
  caller.enqueue(1000);
  await_rewrite(servers);
  const double few = claim_p99(caller);
  const std::int64_t before = memory_used(servers);
  for (std::int64_t done = 1000; done < waiting; done += 1000) caller.enqueue(1000);
  const auto jobs = static_cast<double>(waiting - 1000);
  report.line("memory.waiting-job", static_cast<double>(memory_used(servers) - before) / jobs, 0,
              " bytes");
  await_rewrite(servers);
  const double many = claim_p99(caller);
  report.line(fmt::format("claim.p99.{}-waiting-to-1000", waiting), many, few, " ms", at_most(1.5));
}

}  // namespace
}  // namespace longshore::bench

int main(int count, char** words) {
  using namespace longshore;
  std::string directory = "bench-data";
  std::string fsync = "always";
  std::int64_t jobs = 10240;
  std::int64_t waiting = 1'000'000;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string word = words[i];
    if (word == "--dir") directory = words[i + 1];
    if (word == "--fsync") fsync = words[i + 1];
    if (word == "--jobs") jobs = std::atoll(words[i + 1]);
    if (word == "--waiting") waiting = std::atoll(words[i + 1]);
  }
  std::filesystem::create_directories(directory);
  const redis_test::OwnServers servers(
      {.fsync = fsync, .parent = std::filesystem::absolute(directory).string()});
  auto opened = open_redis({.url = servers.url("lanes=4")}, Rules());
  if (!opened) bench::give_up(opened.error().message);
  bench::Report report;
  report.say("Redis, appendfsync " + fsync +
             ": two connections; ours, then by hand; each line: name ours reference ratio");
  for (const int batch : {1, 16, 256}) {
    const std::int64_t share = batch == 1 ? jobs / 16 : jobs;
    bench::measure(report, (*opened)->store(), servers.url(""), batch, share);
  }
  if (waiting > 1000) bench::measure_waiting(report, (*opened)->store(), servers, waiting);
  for (const std::string& missed : report.missed()) report.say("missed: " + missed);
  return report.missed().empty() ? 0 : 3;
}
