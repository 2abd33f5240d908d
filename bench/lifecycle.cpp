#include "bench/lifecycle.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "bench/callers.h"
#include "bench/hand_written.h"
#include "bench/same_rows.h"

namespace longshore::bench {
namespace {

constexpr std::int64_t large_batch = 256;
constexpr double waiting_max = 0.1;

class Bench {
 public:
  Bench(Report& report, std::string directory, const LifecycleSizes& sizes)
      : report_(report), directory_(std::move(directory)), sizes_(sizes) {}

  void compare(const std::string& name, const Crowd& crowd, bool whole, bool keyed);
  void price_promises();

 private:
  std::string fresh(const std::string& name) {
    std::string path = directory_ + "/" + name + ".db";
    remove_store(path);
    return path;
  }
  double rate(double seconds) const { return static_cast<double>(sizes_.jobs) / seconds; }
  double our_rate(OpenStore& store, const Crowd& crowd, bool whole, bool keyed);
  double hand_rate(HandWritten& hand, std::int64_t batch, bool whole) {
    const Took took =
        whole ? hand.live_whole(sizes_.jobs, batch) : hand.enqueue(sizes_.jobs, batch);
    waits_.push_back(took.waited / took.wall);
    return rate(took.undisturbed());
  }
  // Processor time of one job, in microseconds.
  double spent(double since) const {
    return (processor_seconds() - since) * 1e6 / static_cast<double>(sizes_.jobs);
  }
  void judge_machine();

  Report& report_;
  const std::string directory_;
  const LifecycleSizes sizes_;
  std::vector<double> waits_;  // parts of the reference's time, since the machine was last judged
};

void Bench::judge_machine() {
  const double share = median(std::exchange(waits_, {}));
  report_.contended(share > waiting_max);
  report_.say(fmt::format("the reference waited {:.0f} % of its time for a processor{}",
                          share * 100,
                          share > waiting_max ? ": the machine is too busy to judge" : ""));
}

double Bench::our_rate(OpenStore& store, const Crowd& crowd, bool whole, bool keyed) {
  return rate(store.run(crowd, sizes_.jobs, [&](Caller& caller) {
    caller.enqueue(crowd.outstanding, {.keyed = keyed});
    if (whole) caller.complete(caller.claim(crowd.outstanding));
  }));
}

double mean_batch(const sqlite::WriterCounts& before, const sqlite::WriterCounts& after) {
  return static_cast<double>(after.commands - before.commands) /
         static_cast<double>(after.transactions - before.transactions);
}

void Bench::compare(const std::string& name, const Crowd& crowd, bool whole, bool keyed) {
  const Sample sample = take_sample(fresh("sample"), keyed);
  const std::string our_path = fresh("ours");
  const std::string mean_path = fresh("mean");
  const std::string large_path = fresh("large");
  const std::string blind_path = fresh("blind");
  Pairs mean;
  Pairs large;
  Pairs ceiling;
  Pairs processor;
  std::vector<double> batches;
  {
    OpenStore ours(our_path);
    HandWritten at_mean(mean_path, sample, {.key = keyed});
    HandWritten at_large(large_path, sample, {.key = keyed});
    HandWritten blind(blind_path, sample, {.key = keyed, .blind = true});
    for (int round = 0; round < sizes_.rounds; ++round) {
      const auto before = ours.counts();
      double begun = processor_seconds();
      const double our = our_rate(ours, crowd, whole, keyed);
      const double our_spent = spent(begun);
      batches.push_back(mean_batch(before, ours.counts()));
      begun = processor_seconds();
      mean.add(our, hand_rate(at_mean, std::llround(batches.back()), whole));
      processor.add(our_spent, spent(begun));
      large.add(our, hand_rate(at_large, large_batch, whole));
      ceiling.add(our, hand_rate(blind, std::llround(batches.back()), whole));
    }
  }
  auto tables = tables_of_a_job();
  if (keyed) tables.emplace_back("idempotency", "hand_key");
  const int columns = expect_same_rows(our_path, mean_path, tables);
  expect_same_rows(our_path, large_path, tables);
  expect_same_rows(our_path, blind_path, tables);
  report_.say(
      fmt::format("{}: batches of {:.1f} commands on average; {} columns of {} tables "
                  "hold the same in all four files",
                  name, median(batches), columns, tables.size()));
  judge_machine();
  report_.line(name + ".at-mean-batch", mean, "/s", keyed ? Bar{} : at_least(0.8));
  report_.line(name + ".at-256", large, "/s");
  report_.line(name + ".blind-at-mean-batch", ceiling, "/s");
  report_.line(name + ".processor-time", processor, "us");
  for (const auto& path : {our_path, mean_path, large_path, blind_path}) remove_store(path);
}

// The reference with one promise less, or one more, beside the reference as it is.
void Bench::price_promises() {
  struct Variant {
    std::string name;
    Promises promises;
    std::unique_ptr<HandWritten> hand;
    Pairs pairs;
  };
  const Sample plain = take_sample(fresh("sample"), false);
  const Sample keyed = take_sample(fresh("sample"), true);
  std::vector<Variant> variants;
  variants.push_back({.name = "promise.without-history", .promises = {.history = false}});
  variants.push_back({.name = "promise.without-persisted-claim", .promises = {.claim = false}});
  variants.push_back({.name = "promise.with-random-key", .promises = {.key = true}});
  HandWritten all(fresh("promises"), plain, {});
  for (Variant& variant : variants) {
    variant.hand = std::make_unique<HandWritten>(
        fresh(variant.name), variant.promises.key ? keyed : plain, variant.promises);
  }
  for (int round = 0; round < sizes_.rounds; ++round) {
    const double base = hand_rate(all, large_batch, true);
    for (Variant& variant : variants) {
      variant.pairs.add(hand_rate(*variant.hand, large_batch, true), base);
    }
  }
  judge_machine();
  for (Variant& variant : variants) {
    report_.line(variant.name, variant.pairs, "/s");
    variant.hand.reset();
    fresh(variant.name);
  }
}

}  // namespace

void measure_lifecycle(Report& report, const std::string& directory, const LifecycleSizes& sizes) {
  report.say(fmt::format(
      "Lifecycles: {} rounds of {} jobs with {} bytes; ours, then a queue on SQLite by hand at our "
      "mean batch, then at {}, then writes alone that know in advance what they write; medians of "
      "the rounds, the ratio is the median of the rounds' ratios. What the reference waited for a "
      "processor is taken off its time, ours is by the clock: on a busy machine the ratio is a "
      "lower bound, and bars are not judged above {:.0f} %",
      sizes.rounds, sizes.jobs, payload_bytes, large_batch, waiting_max * 100));
  Bench bench(report, directory, sizes);
  const Crowd single{.callers = 64, .outstanding = 1};
  const Crowd many{.callers = 64, .outstanding = 16};
  bench.compare("lifecycle.64-callers", single, true, false);
  bench.compare("lifecycle.64-callers-16-outstanding", many, true, false);
  bench.compare("enqueue.64-callers", single, false, false);
  bench.compare("enqueue.64-callers-16-outstanding", many, false, false);
  bench.compare("lifecycle-with-key.64-callers", single, true, true);
  bench.compare("enqueue-with-key.64-callers-16-outstanding", many, false, true);
  report.say(
      "Promises: SQLite by hand in batches of 256 with one promise less, or with a random "
      "key more, beside itself with history and a persisted claim");
  bench.price_promises();
}

}  // namespace longshore::bench
