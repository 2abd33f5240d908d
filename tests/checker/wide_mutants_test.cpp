// Mutants that only a wide workload finds.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "checker/mutant.h"
#include "checker/workload.h"

namespace longshore::checker {
namespace {

constexpr std::uint64_t wide_seeds = 200;

Judgement run_one(std::uint64_t seed, bool wide, const Mutant& mutant) {
  Workload workload({.seed = seed, .wide = wide}, mutant.make);
  const History history = workload.run();
  return judge(history, workload.judging());
}

void print_wide_line(const std::string& line) {
  std::puts(line.c_str());
  const char* reports = std::getenv("LONGSHORE_REPORTS");
  if (reports == nullptr) return;
  const std::string path = std::string(reports) + "/checker_wide.txt";
  if (std::FILE* file = std::fopen(path.c_str(), "a")) {
    std::fprintf(file, "%s\n", line.c_str());
    std::fclose(file);
  }
}

// The first seed in which the expected rule found it; 0 if there is none.
std::uint64_t found_after(const Mutant& mutant) {
  for (std::uint64_t seed = 1; seed <= wide_seeds; ++seed) {
    for (const Violation& violation : run_one(seed, true, mutant).violations) {
      if (violation.rule == mutant.rule) return seed;
    }
  }
  return 0;
}

TEST(Checker, FindsEveryWideMutantInAWideWorkload) {
  print_wide_line("checker: " + std::to_string(wide_mutants().size()) + " wide mutants");
  for (const Mutant& mutant : wide_mutants()) {
    const std::uint64_t seed = found_after(mutant);
    EXPECT_GT(seed, 0U) << mutant.name << " was not found by " << mutant.rule;
    char line[256];
    std::snprintf(line, sizeof line, "  %-38s found by %-3s after %2d seeds",
                  std::string(mutant.name).c_str(), std::string(mutant.rule).c_str(),
                  static_cast<int>(seed));
    print_wide_line(line);
  }
}

TEST(Checker, FindsNoWideMutantInANarrowWorkload) {
  for (const Mutant& mutant : wide_mutants()) {
    for (std::uint64_t seed = 1; seed <= wide_seeds; ++seed) {
      const Judgement judgement = run_one(seed, false, mutant);
      ASSERT_TRUE(judgement.valid())
          << mutant.name << " is found in a narrow workload, seed " << seed << "\n"
          << to_text(judgement);
    }
  }
  print_wide_line("checker: a narrow workload finds none of them in " + std::to_string(wide_seeds) +
                  " seeds each");
}

}  // namespace
}  // namespace longshore::checker
