// longshore_bench_postgres [--dir DIRECTORY] [--jobs N] [--batch N] [--waiting N] [--finished N]
// [--part readable]: how fast the PostgreSQL store is beside SQL written by hand, on the same
// server, in turns; and what becomes of it when much waits, much has ended, or a transaction stays
// open.
#include "bench/postgres.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "bench/measure.h"
#include "bench/postgres_caller.h"
#include "bench/postgres_hand.h"
#include "bench/postgres_same_rows.h"

namespace longshore::bench {
namespace {

constexpr int connections = 2;
// Of those that have a bar, enough for the median to stay where it is on a noisy machine.
constexpr int rounds = 9;
constexpr int rounds_with_bar = 25;

// Jobs by the second of the clock, and by the second of processors.
struct Rate {
  double wall = 0;
  double processor = 0;
};

// Runs `act(number)` on each connection's thread until all have done their share.
template <class Act>
Rate rate(const Bench& bench, std::int64_t jobs, int batch, const Act& act) {
  const Stopwatch watch;
  const double used = seconds_with_server(bench.folder);
  {
    std::vector<std::jthread> threads;
    for (int me = 0; me < connections; ++me) {
      threads.emplace_back([&, me] {
        for (std::int64_t done = 0; done < jobs / connections; done += batch) act(me);
      });
    }
  }
  const double count = static_cast<double>(jobs);
  return {count / watch.seconds(), count / (seconds_with_server(bench.folder) - used)};
}

double both(double first, double second) { return 1 / (1 / first + 1 / second); }

// Both in turns, on as many connections each.
template <class Ours, class Hand>
void compare(Bench& bench, const std::string& name, Bar bar, const Ours& ours, const Hand& hand,
             int batch, std::int64_t jobs) {
  const auto at = [](auto& all, int me) -> auto& { return *all[static_cast<std::size_t>(me)]; };
  Pairs enqueue, lifecycle, enqueue_cpu, lifecycle_cpu;
  const int turns = bar.kind == Bar::Kind::none ? rounds : rounds_with_bar;
  for (int round = 0; round <= turns; ++round) {
    Rate our, other, our_work, other_work;
    for (const bool first : {true, false}) {  // each is first in every other turn
      if (first == (round % 2 == 0)) {
        our = rate(bench, jobs, batch, [&](int me) { at(ours, me).enqueue(batch); });
        our_work = rate(bench, jobs, batch, [&](int me) { at(ours, me).work(batch); });
      } else {
        other = rate(bench, jobs, batch, [&](int me) { at(hand, me).enqueue(batch); });
        other_work = rate(bench, jobs, batch, [&](int me) { at(hand, me).work(batch); });
      }
    }
    if (round == 0) continue;  // plans and caches are warm from here on
    enqueue.add(our.wall, other.wall);
    enqueue_cpu.add(our.processor, other.processor);
    lifecycle.add(both(our.wall, our_work.wall), both(other.wall, other_work.wall));
    lifecycle_cpu.add(both(our.processor, our_work.processor),
                      both(other.processor, other_work.processor));
  }
  bench.report.line("enqueue." + name, enqueue, "/s", bar);
  bench.report.line("lifecycle." + name, lifecycle, "/s", bar);
  bench.report.line("enqueue." + name + ".processor", enqueue_cpu, "/s");
  bench.report.line("lifecycle." + name + ".processor", lifecycle_cpu, "/s");
}

template <class Hand, class... Extra>
void measure(Bench& bench, const std::string& name, Bar bar, Store& store, int batch,
             std::int64_t jobs, const Extra&... extra) {
  std::vector<std::unique_ptr<Caller>> ours;
  std::vector<std::unique_ptr<Hand>> hand;
  for (int i = 0; i < connections; ++i) {
    const auto seed = bench.next_seed();
    ours.push_back(std::make_unique<Caller>(store, seed));
    hand.push_back(std::make_unique<Hand>(bench.url, extra..., seed));
  }
  compare(bench, fmt::format("batch-{}.{}", batch, name), bar, ours, hand, batch, jobs);
}

std::unique_ptr<Backend> open_schema(const Bench& bench, const std::string& schema) {
  auto store = open_postgres({.url = bench.url + "&lanes=4&schema=" + schema}, Rules());
  if (!store) give_up(store.error().message);
  return std::move(*store);
}

// Ours beside statements that leave the very same rows behind: what our rules, keys and resends
// cost. This is what the bar is for.
void measure_same_rows(Bench& bench, int batch, std::int64_t jobs) {
  const std::string ours = fmt::format("ours_{}", batch);
  const std::string other = fmt::format("same_rows_{}", batch);
  const auto backend = open_schema(bench, ours);
  const auto made_by = open_schema(bench, other);
  const Bar bar = batch == 256 ? at_least(0.8) : Bar{};
  measure<SameRowsQueue>(bench, "same-rows", bar, backend->store(), batch, jobs, other);
  expect_same_rows(bench.url, ours, other);
}

// Ours beside the least that a queue does: what the rows themselves cost on top.
void measure_bare(Bench& bench, int batch, std::int64_t jobs) {
  measure<BareQueue>(bench, "bare", Bar{}, bench.store(), batch, jobs);
}

// What the view `jobs` costs those who do not read it: the same store with and without it. It may
// take 3 % of the time; it takes no room, since a view has no rows of its own.
void measure_view(Bench& bench, int batch, std::int64_t jobs) {
  const auto with = open_schema(bench, "with_view");
  const auto without = open_schema(bench, "without_view");
  HandConnection(bench.url).run_script("DROP VIEW without_view.jobs");
  std::vector<std::unique_ptr<Caller>> ours, others;
  for (int i = 0; i < connections; ++i) {
    ours.push_back(std::make_unique<Caller>(with->store(), bench.next_seed()));
    others.push_back(std::make_unique<Caller>(without->store(), bench.next_seed()));
  }
  compare(bench, fmt::format("batch-{}.readable", batch), at_least(0.97), ours, others, batch,
          jobs);
}

}  // namespace
}  // namespace longshore::bench

int main(int count, char** words) {
  using namespace longshore;
  std::string directory = "bench-data";
  std::int64_t jobs = 10240;
  bench::Crowd crowd;
  int only = 0;      // of the batches
  std::string part;  // empty: all
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string word = words[i];
    if (word == "--part") part = words[i + 1];
    if (word == "--dir") directory = words[i + 1];
    if (word == "--jobs") jobs = std::atoll(words[i + 1]);
    if (word == "--waiting") crowd.waiting = std::atoll(words[i + 1]);
    if (word == "--finished") crowd.finished = std::atoll(words[i + 1]);
    if (word == "--batch") only = std::atoi(words[i + 1]);
  }
  const bool busy = bench::processor_pressure() > bench::busy_share;  // with the work of others
  std::filesystem::create_directories(directory);
  const postgres_test::OwnServer server(std::filesystem::absolute(directory).string());
  bench::Bench bench{.folder = server.folder(), .url = server.url("")};
  auto opened = open_postgres({.url = server.url("lanes=4")}, Rules());
  if (!opened) bench::give_up(opened.error().message);
  bench.backend = std::move(*opened);
  bench::BareQueue::make_tables(bench.url);
  bench.report.say("PostgreSQL: two connections; ours, then by hand; name ours reference ratio");
  bench.report.say("same-rows: by hand into our tables, every row and column as ours; has the bar");
  bench.report.say("bare: by hand into the fewest tables: no history, states, counts, attempts");
  for (const int batch : {1, 16, 256}) {
    if ((only != 0 && only != batch) || !part.empty()) continue;
    const std::int64_t share = batch == 1 ? jobs / 16 : jobs;
    bench::measure_same_rows(bench, batch, share);
    bench::measure_bare(bench, batch, share);
  }
  bench.report.say("readable: ours with the view `jobs`, then without it; may cost 3 % of time");
  bench.report.contended(busy);
  bench::measure_view(bench, only != 0 ? only : 256, jobs);
  bench.report.contended(false);
  if (part.empty()) {
    bench::measure_latency(bench);
    bench::measure_long_transaction(bench, jobs);
    bench::measure_crowds(bench, crowd);
  }
  return bench.report.end();
}
