// longshore_bench_engine [--dir DIRECTORY] [--rounds N] [--jobs N]: how much of the store's own
// speed reaches a program that uses the library, and how long an idle worker takes to begin.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/callers.h"
#include "bench/library.h"
#include "bench/measure.h"

namespace longshore::bench {
namespace {

constexpr double large_batch = 256;
constexpr double others_max = 0.1;      // part of all processors, while ours ran
constexpr double waiting_max = 0.1;     // part of the reference's time
constexpr double idle_waiting_max = 1;  // milliseconds a job; waking up takes a part of one
constexpr int idle_jobs = 500;

struct Options {
  std::string directory = "bench-data";
  std::int64_t rounds = 7;
  std::int64_t jobs = 40'000;
};

bool take_number(std::string_view text, std::int64_t& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && end == text.data() + text.size() && into > 0;
}

std::optional<Options> parse(int count, char** words) {
  Options options;
  for (int at = 1; at + 1 < count; at += 2) {
    const std::string_view name = words[at];
    const std::string_view value = words[at + 1];
    if (name == "--dir") {
      options.directory = value;
    } else if (name == "--rounds") {
      if (!take_number(value, options.rounds)) return std::nullopt;
    } else if (name == "--jobs") {
      if (!take_number(value, options.jobs)) return std::nullopt;
    } else {
      return std::nullopt;
    }
  }
  if (count % 2 == 0) return std::nullopt;
  return options;
}

std::string fresh(const Options& options, const char* name) {
  std::string path = options.directory + "/" + name + ".db";
  remove_store(path);
  return path;
}

void measure_lifecycles(Report& report, const Options& options) {
  const auto jobs = static_cast<double>(options.jobs);
  const auto processors = static_cast<double>(std::thread::hardware_concurrency());
  const std::string ours = fresh(options, "library");
  const std::string at_mean = fresh(options, "mean");
  const std::string at_large = fresh(options, "large");
  Pairs mean, large, processor, switches, sizes;
  std::vector<double> busy, ran, waited;
  std::vector<double> waits, others, waited_a_commit;
  for (std::int64_t round = 0; round < options.rounds; ++round) {
    const LibraryRun library = through_library(ours, options.jobs);
    const double size = jobs / library.commits;
    const double late = 1 - library.joined / jobs;
    const auto alone_at = [&](const std::string& path, double batch) {
      return by_store_alone(path, options.jobs, std::llround(batch), std::llround(late * batch));
    };
    const StoreRun alone = alone_at(at_mean, size);
    const StoreRun most = alone_at(at_large, large_batch);
    mean.add(jobs / library.seconds, jobs / alone.took.undisturbed());
    large.add(jobs / library.seconds, jobs / most.took.undisturbed());
    processor.add(library.processor / jobs * 1e6, alone.processor / jobs * 1e6);
    switches.add(library.switches / jobs, alone.switches / jobs);
    sizes.add(size, large_batch);
    waited_a_commit.push_back(late);
    busy.push_back(library.in_store / library.seconds);
    ran.push_back(library.committer_ran / library.seconds);
    waited.push_back(library.committer_waited / library.seconds);
    others.push_back((library.machine - library.processor) / library.seconds / processors);
    waits.push_back(alone.took.waited / alone.took.wall);
  }
  const double share = median(waits);
  const double foreign = median(others);
  const bool crowded = share > waiting_max || foreign > others_max;
  report.contended(crowded);
  report.say(
      fmt::format("the reference waited {:.0f} % of its time for a processor; while the library "
                  "ran, others had "
                  "{:.0f} % of all processors{}",
                  share * 100, foreign * 100, crowded ? ": the machine is too busy to judge" : ""));
  report.say(fmt::format(
      "a commit was under way {:.0f} % of the library's time; its thread ran {:.0f} %, and waited "
      "for a processor {:.0f} %",
      median(busy) * 100, median(ran) * 100, median(waited) * 100));
  report.say(
      fmt::format("{:.0f} % of the jobs were handed out by a later commit than their own, here and "
                  "in the reference",
                  median(waited_a_commit) * 100));
  report.line("library.at-mean-commit", mean, "/s", at_least(0.8));
  report.line("library.at-256", large, "/s");
  report.line("library.jobs-per-commit", sizes, "");
  report.line("library.processor-time-per-job", processor, "us");
  report.line("library.wake-ups-per-job", switches, "");
  for (const auto& path : {ours, at_mean, at_large}) remove_store(path);
}

void measure_idle(Report& report, const Options& options) {
  const std::string path = fresh(options, "idle");
  const IdleRun idle = when_idle(path, idle_jobs);
  const bool busy = idle.waited > idle_waiting_max;
  report.contended(busy);
  report.say(fmt::format("idle: {} jobs, each waited {:.3f} ms for a processor{}", idle_jobs,
                         idle.waited, busy ? ": the machine is too busy to judge" : ""));
  report.line("idle.enqueue-to-handler.p50", quantile(idle.millis, 0.5), 1, "ms", at_most(1));
  report.line("idle.enqueue-to-handler.p99", quantile(idle.millis, 0.99), 5, "ms", at_most(1));
  remove_store(path);
}

int measure(const Options& options) {
  std::filesystem::create_directories(options.directory);
  Report report;
  report.say(fmt::format("files in {}; each line: name ours reference ratio", options.directory));
  report.say(fmt::format(
      "Lifecycles: {} rounds of {} jobs with {} bytes by {} producers and {} slots; then the store "
      "alone in one thread, at as many jobs a commit, and at {}; medians of the rounds, the ratio "
      "is the median of the rounds' ratios. What the reference waited for a processor is taken off "
      "its time, ours is by the clock: bars are not judged when that, or what other programs take "
      "of the processors, is above "
      "{:.0f} %",
      options.rounds, options.jobs, payload_bytes, producers, slots, large_batch,
      waiting_max * 100));
  measure_lifecycles(report, options);
  measure_idle(report, options);
  for (const std::string& missed : report.missed()) report.say("missed: " + missed);
  for (const std::string& name : report.not_shown()) report.say("not shown, busy machine: " + name);
  if (!report.missed().empty()) return 3;
  return report.not_shown().empty() ? 0 : 4;
}

}  // namespace
}  // namespace longshore::bench

int main(int count, char** words) {
  const auto options = longshore::bench::parse(count, words);
  if (!options) {
    fmt::print(stderr, "Usage: {} [--dir DIRECTORY] [--rounds N] [--jobs N]\n", words[0]);
    return 2;
  }
  return longshore::bench::measure(*options);
}
