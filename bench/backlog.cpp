#include "bench/backlog.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <vector>

#include "bench/callers.h"
#include "bench/same_rows.h"

namespace longshore::bench {
namespace {

constexpr Kind keyed{.keyed = true};
constexpr Crowd producers{.callers = 48, .outstanding = 16};
constexpr int consumers = 16;

std::string fresh(const std::string& directory, const std::string& name) {
  std::string path = directory + "/" + name + ".db";
  remove_store(path);
  return path;
}

struct Round {
  double enqueue_micros = 0;    // for one job
  double processor_micros = 0;  // of the whole process, for one job enqueued
  double claim_p99 = 0;         // milliseconds
};

// Claims one job at a time until stopped; returns the latency of each claim in milliseconds.
std::vector<double> consume(Store& store, std::uint64_t seed, const std::atomic<bool>& stop) {
  Caller caller(store, seed);
  std::vector<double> took;
  while (!stop.load()) {
    const Stopwatch watch;
    const auto leases = caller.claim(1);
    took.push_back(watch.seconds() * 1000);
    caller.complete(leases);
  }
  return took;
}

// Enqueues `keys` jobs while others claim, and leaves as many waiting as there were.
Round run_round(OpenStore& store, std::int64_t keys) {
  std::atomic<bool> stop = false;
  std::vector<std::vector<double>> took(consumers);
  double seconds = 0;
  const double begun = processor_seconds();
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < took.size(); ++i) {
      threads.emplace_back([&, i] { took[i] = consume(store.store(), i + 1, stop); });
    }
    seconds = store.run(producers, keys,
                        [](Caller& caller) { caller.enqueue(producers.outstanding, keyed); });
    stop = true;
  }
  const double spent = processor_seconds() - begun;
  std::vector<double> all;
  for (const auto& some : took) all.insert(all.end(), some.begin(), some.end());
  if (std::ssize(all) < keys) store.drain(keys - std::ssize(all));
  return {.enqueue_micros = seconds * 1e6 / static_cast<double>(keys),
          .processor_micros = spent * 1e6 / static_cast<double>(keys),
          .claim_p99 = quantile(std::move(all), 0.99)};
}

// Results of opening the file in a separate process. It is a new run of this program, since a
// forked process would share its parent's memory.
struct Opened {
  double seconds = 0;  // until the first claim was answered
  double resident = 0;
};

Opened open_elsewhere(const std::string& path) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  FILE* output = ::popen(fmt::format("'{}' --open '{}'", self, path).c_str(), "r");
  if (output == nullptr) give_up("cannot start another process");
  Opened opened;
  const int read = std::fscanf(output, "%lf %lf", &opened.seconds, &opened.resident);
  if (::pclose(output) != 0 || read != 2) give_up("the process that opened the store failed");
  return opened;
}

double per_million(double amount, std::int64_t jobs) {
  return amount * 1e6 / static_cast<double>(jobs);
}

void fill_finished(OpenStore& store, std::int64_t jobs) {
  constexpr std::int64_t at_once = 10'000;
  for (; jobs > 0; jobs -= at_once) {
    store.fill(at_once, keyed);
    store.drain(at_once);
  }
}

// Closed, so that the file contains everything.
void prepare(Report& report, const std::string& directory, const BacklogSizes& sizes) {
  const std::string deep = fresh(directory, "deep");
  const std::string late = fresh(directory, "late");
  const Stopwatch filling;
  OpenStore(deep).fill(sizes.many, keyed);
  report.say(fmt::format("{} jobs with random keys were enqueued in groups of 10,000 in {:.1f} s",
                         sizes.many, filling.seconds()));
  {
    OpenStore store(late);
    fill_finished(store, sizes.finished);
  }
  report.line(fmt::format("file.per-million-of-{}k-waiting", sizes.many / 1000),
              per_million(file_mib(deep), sizes.many), 1024, "MiB");
  report.line(fmt::format("file.per-million-of-{}k-finished", sizes.finished / 1000),
              per_million(file_mib(late), sizes.finished), 1024, "MiB");
}

void compare_depths(Report& report, const std::string& directory, const BacklogSizes& sizes) {
  OpenStore shallow(fresh(directory, "shallow"));
  OpenStore deep(directory + "/deep.db");
  OpenStore late(directory + "/late.db");
  shallow.fill(sizes.few, keyed);
  late.fill(sizes.few, keyed);
  Pairs deep_claims, deep_enqueues, deep_spent, late_claims, late_enqueues, late_spent;
  for (int i = 0; i < sizes.rounds; ++i) {
    const Round first = run_round(shallow, sizes.keys);
    const Round second = run_round(deep, sizes.keys);
    const Round third = run_round(late, sizes.keys);
    deep_claims.add(second.claim_p99, first.claim_p99);
    deep_enqueues.add(second.enqueue_micros, first.enqueue_micros);
    deep_spent.add(second.processor_micros, first.processor_micros);
    late_spent.add(third.processor_micros, first.processor_micros);
    late_claims.add(third.claim_p99, first.claim_p99);
    late_enqueues.add(third.enqueue_micros, first.enqueue_micros);
  }
  const double pressure = processor_pressure();
  report.contended(pressure > 0.5);
  report.say(fmt::format(
      "some thread waited for a processor {:.0f} % of the last ten seconds{}", pressure * 100,
      pressure > 0.5 ? ": the p99 of claims reflects the machine, not the store" : ""));
  const std::string waiting = fmt::format("{}k-waiting", sizes.many / 1000);
  const std::string finished = fmt::format("{}k-finished", sizes.finished / 1000);
  report.line("claim-p99." + waiting, deep_claims, "ms", at_most(1.5));
  report.line("enqueue-time." + waiting, deep_enqueues, "us", at_most(1.5));
  report.line("enqueue-processor-time." + waiting, deep_spent, "us");
  report.line("claim-p99." + finished, late_claims, "ms", at_most(1.5));
  report.line("enqueue-time." + finished, late_enqueues, "us", at_most(1.5));
  report.line("enqueue-processor-time." + finished, late_spent, "us");
  for (const OpenStore* store : {&shallow, &deep, &late}) {
    report.say(fmt::format(
        "{}: key runs that merges have made and that are left, {}", store->path(),
        ask_file(store->path(), "SELECT count(*) FROM key_run WHERE tier > 0 AND state > 0")));
  }
}

void weigh(Report& report, const std::string& directory, const BacklogSizes& sizes) {
  const std::string path = directory + "/deep.db";
  report.contended(false);
  const Opened many = open_elsewhere(path);
  {
    OpenStore store(path);
    store.fill(sizes.most - sizes.many, keyed);
  }
  const Opened most = open_elsewhere(path);
  const auto name = [](const char* what, std::int64_t jobs) {
    return fmt::format("{}.{}k-waiting", what, jobs / 1000);
  };
  report.line(name("memory", sizes.many), many.resident, 300, "MiB", at_most(1));
  report.line(name("memory", sizes.most), most.resident, many.resident, "MiB", at_most(1.1));
  report.line(name("open-to-ready", sizes.many), many.seconds, 2, "s", at_most(1));
  report.line(name("open-to-ready", sizes.most), most.seconds, 2, "s", at_most(1));
}

}  // namespace

void open_and_tell(const std::string& path) {
  const Stopwatch watch;
  OpenStore store(path);
  Caller caller(store.store(), 7);
  caller.complete(caller.claim(1));
  const double seconds = watch.seconds();
  for (int i = 0; i < 3; ++i) run_round(store, 16'000);
  fmt::print("{} {}\n", seconds, resident_mib());
}

void measure_backlog(Report& report, const std::string& directory, const BacklogSizes& sizes) {
  report.say(fmt::format(
      "Depth: {} callers enqueue jobs with random keys, {} at once, while {} callers claim and "
      "complete one at a time; {} rounds of {} keys beside {} jobs waiting, {} waiting, and {} "
      "finished; the second number is the one with {} waiting; files, before the rounds, beside 1 "
      "KiB a job",
      producers.callers, producers.outstanding, consumers, sizes.rounds, sizes.keys, sizes.few,
      sizes.many, sizes.finished, sizes.few));
  prepare(report, directory, sizes);
  compare_depths(report, directory, sizes);
  report.say(fmt::format(
      "Weight: in a process that opened the file, claimed one job (open-to-ready) and then had "
      "48,000 more pass (memory); beside the bar, and at {} beside {}",
      sizes.most, sizes.many));
  weigh(report, directory, sizes);
  for (const char* name : {"shallow", "deep", "late"}) remove_store(directory + "/" + name + ".db");
}

}  // namespace longshore::bench
