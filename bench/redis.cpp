// longshore_bench_redis [--dir DIRECTORY] [--jobs N] [--batch N] [--waiting N]
// [--cancels N] [--fsync always|everysec] [--part readable|cancel]: how fast the Redis store is
// beside Lua written by hand, on the same server, in turns, once with the same keys and once with
// the least that will do; where the time goes; what fields by name cost; what a waiting job costs
// in memory; whether a claim is slower when very many wait; and whether canceling many in parts is
// slower the more are done.
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/measure.h"
#include "bench/redis_caller.h"
#include "bench/redis_hand.h"
#include "bench/redis_same_keys.h"
#include "core/record/state_filter.h"
#include "redis/server.h"
#include "store/redis/inspection.h"
#include "store/redis/store.h"

namespace longshore::bench {
namespace {

constexpr int connections = 2;
constexpr int rounds = 5;
constexpr int claims_timed = 2000;

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

struct Rates {
  double enqueue = 0;
  double lifecycle = 0;
};

template <class Party>
Rates rates(std::vector<std::unique_ptr<Party>>& parties, std::int64_t jobs, int batch, bool work) {
  const auto at = [&](int me) -> Party& { return *parties[static_cast<std::size_t>(me)]; };
  if (!work) return {.enqueue = rate(jobs, batch, [&](int me) { at(me).enqueue(batch); })};
  return {.lifecycle = rate(jobs, batch, [&](int me) {
            at(me).claim(batch);
            at(me).complete();
          })};
}

// What one round of a party comes to.
template <class Party>
void run(std::vector<std::unique_ptr<Party>>& parties, std::int64_t jobs, int batch, bool work,
         Rates& total) {
  const Rates now = rates(parties, jobs, batch, work);
  if (!work) {
    total.enqueue = now.enqueue;
  } else {
    total.lifecycle = 1 / (1 / total.enqueue + 1 / now.lifecycle);
  }
}

// Leaves jobs that wait, jobs that run and jobs that ended.
template <class Party>
void leave_some(Party& party) {
  for (int i = 0; i < 3; ++i) party.enqueue(16);
  party.claim(16);
  party.complete();
  party.claim(16);
}

void measure(Report& report, Store& store, const std::string& url, int batch, std::int64_t jobs) {
  std::vector<std::unique_ptr<RedisCaller>> ours;
  std::vector<std::unique_ptr<RedisSameKeys>> same;
  std::vector<std::unique_ptr<RedisByHand>> bare;
  for (int i = 0; i < connections; ++i) {
    const auto seed = static_cast<std::uint64_t>(batch * 10 + i);
    ours.push_back(std::make_unique<RedisCaller>(store, seed));
    same.push_back(std::make_unique<RedisSameKeys>(url, seed));
    bare.push_back(std::make_unique<RedisByHand>(url));
  }
  Pairs enqueue, lifecycle, enqueue_bare, lifecycle_bare;
  for (int round = 0; round <= rounds; ++round) {
    Rates our, other, least;
    for (const bool work : {false, true}) {
      run(ours, jobs, batch, work, our);
      run(same, jobs, batch, work, other);
      run(bare, jobs, batch, work, least);
    }
    if (round == 0) continue;  // scripts and caches are warm from here on
    enqueue.add(our.enqueue, other.enqueue);
    lifecycle.add(our.lifecycle, other.lifecycle);
    enqueue_bare.add(our.enqueue, least.enqueue);
    lifecycle_bare.add(our.lifecycle, least.lifecycle);
  }
  const Bar bar = batch == 256 ? at_least(0.8) : Bar{};
  report.line(fmt::format("enqueue.batch-{}.same-keys", batch), enqueue, "/s", bar);
  report.line(fmt::format("lifecycle.batch-{}.same-keys", batch), lifecycle, "/s", bar);
  report.line(fmt::format("enqueue.batch-{}.bare", batch), enqueue_bare, "/s");
  report.line(fmt::format("lifecycle.batch-{}.bare", batch), lifecycle_bare, "/s");
}

// Of Redis's thread that does all commands.
double redis_seconds(const redis_test::OwnServers& servers) {
  const std::string info = servers.ask({"INFO", "cpu"}).text;
  double sum = 0;
  for (const std::string name : {"used_cpu_user_main_thread:", "used_cpu_sys_main_thread:"}) {
    const std::size_t at = info.find(name);
    if (at != info.npos) sum += std::strtod(info.c_str() + at + name.size(), nullptr);
  }
  return sum;
}

// Seconds of three kinds: by the clock, of this process, of Redis.
struct Spent {
  std::array<double, 3> seconds{};

  void add(const Spent& from, const Spent& to) {
    for (std::size_t i = 0; i < seconds.size(); ++i) {
      seconds[i] += to.seconds[i] - from.seconds[i];
    }
  }
};
constexpr std::array kinds = {"clock", "own", "redis"};

// One connection alone: what enqueueing, claiming and completing take.
template <class Party>
std::array<Spent, 3> spend(const redis_test::OwnServers& servers, Party& party, int batch,
                           std::int64_t jobs) {
  const Stopwatch watch;
  std::array<Spent, 3> spent;
  const auto timed = [&](std::size_t phase, const auto& act) {
    // Asking Redis takes time, too, and so is done before the one and after the other.
    const double redis = redis_seconds(servers);
    const Spent before{{watch.seconds(), processor_seconds(), redis}};
    act();
    spent[phase].add(before, {{watch.seconds(), processor_seconds(), redis_seconds(servers)}});
  };
  for (std::int64_t done = 0; done < jobs; done += batch) {
    timed(0, [&] { party.enqueue(batch); });
    timed(1, [&] { party.claim(batch); });
    timed(2, [&] { party.complete(); });
  }
  return spent;
}

void measure_places(Report& report, Store& store, const redis_test::OwnServers& servers, int batch,
                    std::int64_t jobs) {
  RedisCaller ours(store, 7);
  RedisSameKeys same(servers.url(""), 7);
  std::array<std::array<Pairs, 3>, 3> all;
  for (int round = 0; round <= rounds; ++round) {
    const auto our = spend(servers, ours, batch, jobs / connections);
    const auto other = spend(servers, same, batch, jobs / connections);
    const double micros = 1e6 * connections / static_cast<double>(jobs);
    for (std::size_t phase = 0; phase < all.size() && round > 0; ++phase) {
      for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
        all[phase][kind].add(our[phase].seconds[kind] * micros,
                             other[phase].seconds[kind] * micros);
      }
    }
  }
  constexpr std::array phases = {"enqueue", "claim", "complete"};
  for (std::size_t phase = 0; phase < all.size(); ++phase) {
    for (std::size_t kind = 0; kind < kinds.size(); ++kind) {
      report.line(fmt::format("{}.batch-{}.{}-time", phases[phase], batch, kinds[kind]),
                  all[phase][kind], "us");
    }
  }
}

std::int64_t memory_used(const redis_test::OwnServers& servers) {
  return redis::read_info(servers.ask({"INFO", "memory"}).text).memory_used;
}

// Bytes for each job that waits.
double memory_each(const redis_test::OwnServers& servers, RedisCaller& caller, int jobs) {
  const std::int64_t before = memory_used(servers);
  caller.enqueue(jobs);
  return static_cast<double>(memory_used(servers) - before) / jobs;
}

// What jobs with the fields that people read cost beside jobs as Longshore 0.1 wrote them, in turns
// that are short beside what else the machine does, each store first in every other turn. They may
// take 3 % more time for a whole life. They take more to be enqueued, and less to be claimed and
// completed; that and the memory is printed, and has no bar.
void measure_names(Report& report, const redis_test::OwnServers& servers, int batch,
                   std::int64_t jobs) {
  std::array<std::unique_ptr<Backend>, 2> stores;
  std::vector<std::unique_ptr<RedisCaller>> callers;
  for (const bool names : {true, false}) {
    const std::string prefix = names ? "prefix=named" : "prefix=unnamed";
    auto opened = open_redis({.url = servers.url(prefix), .names = names}, Rules());
    if (!opened) give_up(opened.error().message);
    stores[names ? 0 : 1] = std::move(*opened);
    callers.push_back(std::make_unique<RedisCaller>(stores[names ? 0 : 1]->store(), 23));
  }
  constexpr int turns = 41;
  Pairs clock, redis, enqueue;
  for (int turn = 0; turn < turns; ++turn) {
    std::array<Spent, 2> spent, enqueued;
    for (const std::size_t i : {0, 1}) {
      const std::size_t which = (static_cast<std::size_t>(turn) + i) % 2;
      const auto phases = spend(servers, *callers[which], batch, jobs);
      enqueued[which] = phases[0];
      for (const Spent& phase : phases) spent[which].add({}, phase);
    }
    if (turn == 0) continue;  // scripts and caches are warm from here on
    const double micros = 1e6 / static_cast<double>(jobs);
    clock.add(spent[0].seconds[0] * micros, spent[1].seconds[0] * micros);
    redis.add(spent[0].seconds[2] * micros, spent[1].seconds[2] * micros);
    enqueue.add(enqueued[0].seconds[2] * micros, enqueued[1].seconds[2] * micros);
  }
  report.line(fmt::format("readable.batch-{}.clock-time", batch), clock, "us", at_most(1.03));
  // Redis's own time, too, since a busy machine does not disturb it.
  report.line(fmt::format("readable.batch-{}.redis-time", batch), redis, "us", at_most(1.03));
  report.line(fmt::format("readable.batch-{}.redis-time.enqueue", batch), enqueue, "us");
  constexpr int waiting = 4000;
  for (const auto& caller : callers) caller->enqueue(waiting);  // until its sets have grown
  const double named = memory_each(servers, *callers[0], waiting);
  report.line("readable.memory", named, memory_each(servers, *callers[1], waiting), " bytes");
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

// What POST /jobs/cancel does for one part of the jobs: pages of live ones, newest first, then
// their cancels. How many there were.
int cancel_part(Backend& backend) {
  constexpr std::size_t part = 1000;
  constexpr int page_size = 500;
  ListQuery query{.ns = "default", .states = live_states_among({}), .limit = page_size};
  std::vector<Command> cancels;
  do {
    const auto page = backend.catalog().list(query);
    if (!page) give_up(page.error().message);
    for (const JobSummary& each : page->jobs) {
      if (cancels.size() == part) break;
      cancels.emplace_back(Cancel{.ns = "default", .job = each.job.id, .actor = {}});
    }
    query.before = page->next;
  } while (query.before && cancels.size() < part);
  if (cancels.empty()) return 0;
  if (const auto done = backend.store().commit(cancels); !done) give_up(done.error().message);
  return static_cast<int>(cancels.size());
}

// All of very many jobs, a part at a time: the last tenth of the calls beside the second.
void measure_cancel(Report& report, const redis_test::OwnServers& servers, int jobs) {
  auto opened = open_redis({.url = servers.url("prefix=cancel")}, Rules());
  if (!opened) give_up(opened.error().message);
  RedisCaller caller((*opened)->store(), 31);
  for (int done = 0; done < jobs; done += 1000) caller.enqueue(1000);
  std::vector<double> took;
  const Stopwatch all;
  for (;;) {
    const Stopwatch watch;
    if (cancel_part(**opened) == 0) break;
    took.push_back(watch.seconds() * 1000);
  }
  report.line(fmt::format("cancel.{}-jobs", jobs), all.seconds(), 0, " s");
  // A call looks at those of the call before once more, which the first calls need not.
  const auto tenth = static_cast<std::ptrdiff_t>(took.size() / 10);
  report.line("cancel.last-calls-to-first", median({took.end() - tenth, took.end()}),
              median({took.begin() + tenth, took.begin() + 2 * tenth}), " ms", at_most(2));
}

// The slowest of a hundred claims, while as many wait as did before.
double claim_p99(RedisCaller& caller) {
  std::vector<double> took;
  for (int i = 0; i < claims_timed; ++i) {
    const ThreadWatch watch;
    caller.claim(1);
    took.push_back(watch.took().undisturbed() * 1000);
    caller.complete();
    caller.enqueue(1);
  }
  return quantile(took, 0.99);
}

void measure_waiting(Report& report, Store& store, const redis_test::OwnServers& servers,
                     std::int64_t waiting) {
  RedisCaller caller(store, 99);
  while (caller.claim(256) > 0) caller.complete();
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
  int only = 0;      // of the batches
  std::string part;  // empty: all
  std::int64_t waiting = 1'000'000;
  int cancels = 50'000;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string word = words[i];
    if (word == "--part") part = words[i + 1];
    if (word == "--dir") directory = words[i + 1];
    if (word == "--fsync") fsync = words[i + 1];
    if (word == "--jobs") jobs = std::atoll(words[i + 1]);
    if (word == "--batch") only = std::atoi(words[i + 1]);
    if (word == "--cancels") cancels = std::atoi(words[i + 1]);
    if (word == "--waiting") waiting = std::atoll(words[i + 1]);
  }
  const bool busy = bench::processor_pressure() > bench::busy_share;  // with the work of others
  std::filesystem::create_directories(directory);
  const redis_test::OwnServers servers(
      {.fsync = fsync, .parent = std::filesystem::absolute(directory).string()});
  auto opened = open_redis({.url = servers.url("lanes=4")}, Rules());
  if (!opened) bench::give_up(opened.error().message);
  bench::Report report;
  // Redis would rewrite its log now and then, in a process beside it that takes a processor for
  // some seconds: whoever is measured then would pay for all.
  servers.ask({"CONFIG", "SET", "auto-aof-rewrite-percentage", "0"});
  report.say("Redis, appendfsync " + fsync +
             ": two connections; ours, then the same keys by hand, then the least that will do; "
             "each line: name ours reference ratio");
  Store& store = (*opened)->store();
  const std::string url = servers.url("");
  for (const int batch : {1, 16, 256}) {
    if ((only != 0 && only != batch) || !part.empty()) continue;
    bench::measure(report, store, url, batch, batch == 1 ? jobs / 16 : jobs);
  }
  if (part.empty() || part == "cancel") {
    report.say("Canceling many jobs, 1000 in each call; milliseconds of the last and first calls");
    bench::measure_cancel(report, servers, cancels);
  }
  if (part == "cancel") return report.end();
  report.say(
      "One connection: microseconds and bytes of a job with its fields by name, then as Longshore "
      "0.1 "
      "wrote it; may cost 3 % of time. redis-time: processor time of Redis's main thread, median "
      "of "
      "40 turns about");
  report.contended(busy);
  bench::measure_names(report, servers, only != 0 ? only : 256, jobs / 10);
  report.contended(false);
  if (part.empty()) {
    report.say("One connection: microseconds for a job by the clock, of this process and of Redis");
    bench::measure_places(report, store, servers, only != 0 ? only : 256, jobs);
    bench::RedisCaller last(store, 11);
    bench::RedisSameKeys last_by_hand(url, 11);
    bench::leave_some(last);
    bench::leave_some(last_by_hand);
    bench::expect_same_keys(url, "longshore", bench::same_keys_prefix);
    servers.ask({"CONFIG", "SET", "auto-aof-rewrite-percentage", "100"});
    if (waiting > 1000) bench::measure_waiting(report, store, servers, waiting);
  }
  return report.end();
}
