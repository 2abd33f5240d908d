// longshore_bench_postgres [--dir DIRECTORY] [--jobs N] [--waiting N]: how fast the PostgreSQL
// store is beside SQL written by hand, on the same server, in turns.
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "bench/measure.h"
#include "bench/postgres_hand.h"
#include "core/clock.h"
#include "core/random.h"
#include "core/uuid.h"
#include "postgres/server.h"
#include "store/postgres/store.h"

namespace longshore::bench {
namespace {

constexpr int connections = 2;
constexpr int rounds = 5;

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
  int work(int jobs) {
    std::vector<Command> completes;
    for (const Lease& lease : claim(jobs)) {
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

void measure(Report& report, Store& store, const std::string& url, int batch, std::int64_t jobs,
             const std::string& name) {
  std::vector<std::unique_ptr<Caller>> ours;
  std::vector<std::unique_ptr<PostgresByHand>> hand;
  for (int i = 0; i < connections; ++i) {
    ours.push_back(std::make_unique<Caller>(store, static_cast<std::uint64_t>(batch * 10 + i)));
    hand.push_back(std::make_unique<PostgresByHand>(url));
  }
  Pairs enqueue;
  Pairs lifecycle;
  for (int round = 0; round <= rounds; ++round) {
    const auto at = [](auto& all, int me) -> auto& { return *all[static_cast<std::size_t>(me)]; };
    const double our = rate(jobs, batch, [&](int me) { at(ours, me).enqueue(batch); });
    const double by_hand = rate(jobs, batch, [&](int me) { at(hand, me).enqueue(batch); });
    const double our_work = rate(jobs, batch, [&](int me) { at(ours, me).work(batch); });
    const double hand_work = rate(jobs, batch, [&](int me) { at(hand, me).work(batch); });
    if (round == 0) continue;  // plans and caches are warm from here on
    enqueue.add(our, by_hand);
    lifecycle.add(1 / (1 / our + 1 / our_work), 1 / (1 / by_hand + 1 / hand_work));
  }
  report.line(fmt::format("{}enqueue.batch-{}", name, batch), enqueue, "/s");
  report.line(fmt::format("{}lifecycle.batch-{}", name, batch), lifecycle, "/s",
              batch == 256 && name.empty() ? at_least(0.8) : Bar{});
}

}  // namespace
}  // namespace longshore::bench

int main(int count, char** words) {
  using namespace longshore;
  std::string directory = "bench-data";
  std::int64_t jobs = 10240;
  std::int64_t waiting = 0;
  std::string url;
  int only = 0;
  for (int i = 1; i + 1 < count; i += 2) {
    const std::string word = words[i];
    if (word == "--dir") directory = words[i + 1];
    if (word == "--jobs") jobs = std::atoll(words[i + 1]);
    if (word == "--url") url = words[i + 1];
    if (word == "--batch") only = std::atoi(words[i + 1]);
    if (word == "--waiting") waiting = std::atoll(words[i + 1]);
  }
  std::optional<postgres_test::OwnServer> server;
  if (url.empty()) {
    std::filesystem::create_directories(directory);
    server.emplace(std::filesystem::absolute(directory).string());
    url = server->url("");
  }
  auto opened = open_postgres({.url = url + "&lanes=4"}, Rules());
  if (!opened) bench::give_up(opened.error().message);
  bench::make_hand_tables(url);
  bench::Report report;
  report.say(
      "PostgreSQL: two connections; ours, then by hand; each line: name ours reference ratio");
  for (const int batch : {1, 16, 256}) {
    if (only != 0 && batch != only) continue;
    const std::int64_t share = batch == 1 ? jobs / 16 : jobs;
    bench::measure(report, (*opened)->store(), url, batch, share, "");
  }
  if (waiting > 0) {
    bench::Caller caller((*opened)->store(), 99);
    for (std::int64_t done = 0; done < waiting; done += 1000) caller.enqueue(1000);
    bench::measure(report, (*opened)->store(), url, 256, jobs,
                   fmt::format("{}-waiting.", waiting));
  }
  for (const std::string& missed : report.missed()) report.say("missed: " + missed);
  return report.missed().empty() ? 0 : 3;
}
