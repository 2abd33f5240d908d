// Shows that the checker finds every mutant, and no violation in the real store.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <set>
#include <string>

#include "checker/mutant.h"
#include "checker/workload.h"
#include "core/policy/profiles.h"

namespace longshore::checker {
namespace {

constexpr int innocent_seeds = 2000;
constexpr std::uint64_t mutant_seeds = 200;

Judgement run(const WorkloadOptions& options, const MutantMaker& mutant) {
  Workload workload(options, mutant);
  const History history = workload.run();
  return judge(history, workload.judging());
}

void print_line(const std::string& line) {
  std::puts(line.c_str());
  const char* reports = std::getenv("LONGSHORE_REPORTS");
  if (reports == nullptr) return;
  const std::string path = std::string(reports) + "/checker.txt";
  if (std::FILE* file = std::fopen(path.c_str(), "a")) {
    std::fprintf(file, "%s\n", line.c_str());
    std::fclose(file);
  }
}

// Counters that must not be 0 in a long run.
const char* const seen[] = {"acked",
                            "recovered",
                            "duplicated",
                            "stale rejected",
                            "grants",
                            "leases lost",
                            "timeouts",
                            "poisoned",
                            "expired",
                            "due",
                            "groups",
                            "replaced",
                            "handed off",
                            "finished by key",
                            "redriven",
                            "answers lost",
                            "reads",
                            "idempotency replays",
                            "mismatches rejected",
                            "cancels while running",
                            "settlements replayed",
                            "dead of retries",
                            "pruned",
                            "taken back at restart",
                            "due after heal",
                            "nemesis.restart",
                            "nemesis.pause",
                            "nemesis.kill",
                            "nemesis.clock back",
                            "nemesis.set back",
                            "undone",
                            "tokens used",
                            "tokens refused",
                            "configurations"};

TEST(Checker, FindsNothingInThousandsOfRunsOfTheTrueStore) {
  std::map<std::string, std::int64_t> total;
  // Processor time: other tests may run beside this one.
  const std::clock_t began = std::clock();
  for (int seed = 1; seed <= innocent_seeds; ++seed) {
    const Judgement judgement = run({.seed = static_cast<std::uint64_t>(seed)}, no_mutation());
    ASSERT_TRUE(judgement.valid()) << "seed " << seed << "\n" << to_text(judgement);
    for (const auto& [counter, count] : judgement.counters) total[counter] += count;
  }
  const auto taken = static_cast<double>(std::clock() - began) / CLOCKS_PER_SEC;
  print_line("checker: " + std::to_string(innocent_seeds) +
             " seeds of the true store, 0 violations, " +
             std::to_string(static_cast<int>(innocent_seeds / taken)) +
             " seeds run and judged per second of a processor");
  for (const auto& [counter, count] : total)
    print_line("  " + counter + ": " + std::to_string(count));
  for (const char* counter : seen) EXPECT_GT(total[counter], 0) << counter << " was never seen";
}

TEST(Checker, FindsNothingUnderAnyProfile) {
  for (const std::string_view name : profile_names()) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
      const Judgement judgement = run({.seed = seed, .profile = std::string(name)}, no_mutation());
      ASSERT_TRUE(judgement.valid()) << name << ", seed " << seed << "\n" << to_text(judgement);
    }
  }
}

TEST(Checker, SeesNoJobRunTwiceWhereNothingIsDisturbed) {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    const Judgement judgement = run({.seed = seed, .faults = false}, no_mutation());
    ASSERT_TRUE(judgement.valid()) << "seed " << seed << "\n" << to_text(judgement);
  }
}

// Stops at the first seed in which the rule that is meant to find the mutant found it.
void find(const Mutant& mutant) {
  std::set<std::string> rules;
  for (std::uint64_t seed = 1; seed <= mutant_seeds && !rules.contains(std::string(mutant.rule));
       ++seed) {
    const Judgement judgement = run({.seed = seed}, mutant.make);
    for (const Violation& violation : judgement.violations) rules.insert(violation.rule);
    if (!rules.contains(std::string(mutant.rule))) continue;
    std::string others;
    rules.erase(std::string(mutant.rule));
    for (const std::string& rule : rules) others += (others.empty() ? "; also " : " ") + rule;
    char line[256];
    std::snprintf(line, sizeof line, "  %-38s found by %-3s after %2d seeds%s",
                  std::string(mutant.name).c_str(), std::string(mutant.rule).c_str(),
                  static_cast<int>(seed), others.c_str());
    return print_line(line);
  }
  FAIL() << mutant.name << " was not found by " << mutant.rule;
}

TEST(Checker, FindsEveryMutant) {
  print_line("checker: " + std::to_string(mutants().size()) + " mutants");
  for (const Mutant& mutant : mutants()) find(mutant);
}

}  // namespace
}  // namespace longshore::checker
