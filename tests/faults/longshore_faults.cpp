// longshore_faults [--seeds N] [--from S]: one trial per seed, each with its own workload and
// faults. Exits with 0 if the store kept its promises in all of them, else with 1; every failure
// comes with the command that repeats it.
#include <fmt/format.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <string_view>

#include "core/time/clock.h"
#include "faults/trial.h"

namespace longshore::faults {
namespace {

// For the handler of SIGABRT: prints the seed if the store aborts.
volatile std::sig_atomic_t current_offset = 0;
std::uint64_t first_seed = 1;

void print_seed(int) {
  fmt::print(stderr, "aborted; replay: longshore_faults --seeds 1 --from {}\n",
             first_seed + static_cast<std::uint64_t>(current_offset));
}

struct Totals {
  std::int64_t seeds = 0, acknowledged = 0, refused = 0, in_doubt = 0, disturbed = 0, problems = 0;

  void add(const Finding& finding) {
    ++seeds;
    acknowledged += finding.acknowledged;
    refused += finding.refused;
    in_doubt += finding.in_doubt;
    disturbed += finding.fired > 0 ? 1 : 0;
    problems += finding.problem.empty() ? 0 : 1;
  }
};

void describe(std::uint64_t seed, const Trial& trial, const Finding& finding) {
  fmt::print("seed {}: {}\n", seed, finding.problem);
  for (const Fault& fault : trial.faults) {
    fmt::print("  {} at its call {}{}\n", to_text(fault.kind), fault.at,
               fault.persistent ? " and after" : "");
  }
  fmt::print("  end {}, {} openings cut short, {} acknowledged, {} refused, {} in doubt\n",
             static_cast<int>(trial.end), trial.recovery_faults.size(), finding.acknowledged,
             finding.refused, finding.in_doubt);
  fmt::print("  replay: longshore_faults --seeds 1 --from {}\n", seed);
}

int try_all(std::uint64_t from, std::uint64_t seeds) {
  SystemClock clock;
  const Instant started = clock.now();
  const RandomTrials trials;
  Totals totals;
  for (std::uint64_t seed = from; seed < from + seeds && totals.problems < 10; ++seed) {
    current_offset = static_cast<std::sig_atomic_t>(seed - from);
    const Finding finding = trials.run(seed);
    totals.add(finding);
    if (!finding.problem.empty()) describe(seed, trials.at(seed), finding);
  }
  const double seconds = (clock.now() - started).in_seconds();
  fmt::print(
      "{} seeds from {}, {} disturbed: {} commits acknowledged, {} refused, {} in doubt, "
      "{} problems; {:.0f} seeds/s\n",
      totals.seeds, from, totals.disturbed, totals.acknowledged, totals.refused, totals.in_doubt,
      totals.problems, static_cast<double>(totals.seeds) / (seconds > 0 ? seconds : 1));
  return totals.problems == 0 ? 0 : 1;
}

bool take_number(std::string_view text, std::uint64_t& into) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace
}  // namespace longshore::faults

int main(int argc, char** argv) {
  using namespace longshore::faults;
  std::uint64_t seeds = 20'000;
  for (int at = 1; at < argc; at += 2) {
    const std::string_view name = argv[at];
    const bool known = name == "--seeds" || name == "--from";
    if (!known || at + 1 >= argc ||
        !take_number(argv[at + 1], name == "--seeds" ? seeds : first_seed)) {
      std::fputs("Usage: longshore_faults [--seeds N] [--from S]\n", stderr);
      return 2;
    }
  }
  std::signal(SIGABRT, print_seed);
  return try_all(first_seed, seeds);
}
