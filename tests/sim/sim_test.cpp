// The seeds of every test run, and proofs that they find defects.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "checker/mutant.h"
#include "sim/campaign.h"
#include "sim/simulation.h"

namespace longshore::sim {
namespace {

constexpr const char* kept_seeds = "tests/sim/seeds.txt";

void print_line(const std::string& line) {
  std::puts(line.c_str());
  const char* reports = std::getenv("LONGSHORE_REPORTS");
  if (reports == nullptr) return;
  const std::string path = std::string(reports) + "/sim.txt";
  if (std::FILE* file = std::fopen(path.c_str(), "a")) {
    std::fprintf(file, "%s\n", line.c_str());
    std::fclose(file);
  }
}

double seconds_used() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

// ---- Repeating --------------------------------------------------------------------------------

std::vector<std::string> lines_of(const Wanted& wanted, Outcome& outcome) {
  StackPool pool;
  std::vector<std::string> lines;
  outcome = simulate(wanted, pool, [&](const std::string& line) { lines.push_back(line); });
  return lines;
}

TEST(Simulation, IsTheSameWhenASeedIsRunAgain) {
  StackPool first_pool, second_pool;
  for (const HostKind host : {HostKind::memory, HostKind::sqlite}) {
    const std::uint64_t most = host == HostKind::memory ? 60 : 15;
    for (std::uint64_t seed = 1; seed <= most; ++seed) {
      const Wanted wanted{.seed = seed, .host = host};
      SCOPED_TRACE(replay_of(wanted));
      const Outcome first = simulate(wanted, first_pool);
      const Outcome second = simulate(wanted, second_pool);
      EXPECT_EQ(first.hash, second.hash);
      EXPECT_EQ(first.events, second.events);
      EXPECT_EQ(first.judgement.counters, second.judgement.counters);
      EXPECT_GT(first.events, 100);
    }
  }
}

TEST(Simulation, WritesTheSameTraceByteForByte) {
  Outcome first, second;
  for (const HostKind host : {HostKind::memory, HostKind::sqlite}) {
    const Wanted wanted{.seed = 3, .host = host};
    EXPECT_EQ(lines_of(wanted, first), lines_of(wanted, second));
    EXPECT_EQ(first.hash, second.hash);
  }
  StackPool pool;
  const Outcome unread = simulate({.seed = 3, .host = HostKind::sqlite}, pool);
  EXPECT_EQ(unread.hash, first.hash) << "reading along changes nothing";
  const Outcome other = simulate({.seed = 4, .host = HostKind::sqlite}, pool);
  EXPECT_NE(other.hash, first.hash);
}

// ---- The seeds of every test run --------------------------------------------------------------

TEST(Simulation, RunsTheSeedsThatFailedOnce) {
  const auto kept = read_kept_seeds(kept_seeds);
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  ASSERT_FALSE(kept->empty());
  StackPool pool;
  for (const Wanted& wanted : *kept) {
    const Outcome outcome = simulate(wanted, pool);
    EXPECT_TRUE(outcome.good()) << to_text(outcome);
  }
}

struct Part {
  std::string name;
  HostKind host;
  std::uint64_t first;
  std::uint64_t count;
};

// Counters that must not be 0 after a thousand seeds.
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
                            "pruned",
                            "idempotency replays",
                            "mismatches rejected",
                            "dead of retries",
                            "due after heal",
                            "settlements replayed",
                            "cancels while running",
                            "nemesis.crash",
                            "nemesis.stop",
                            "nemesis.pause",
                            "nemesis.kill",
                            "nemesis.clock",
                            "taken back at restart",
                            "nemesis.set back",
                            "undone",
                            "configurations",
                            "tokens used",
                            "tokens refused",
                            "polls cut",
                            "polls sent again"};

class Seeds : public testing::TestWithParam<Part> {};

TEST_P(Seeds, EndWithoutViolations) {
  const Part& part = GetParam();
  StackPool pool;
  std::map<std::string, std::int64_t> total;
  const double began = seconds_used();
  for (std::uint64_t seed = part.first; seed < part.first + part.count; ++seed) {
    const Outcome outcome = simulate({.seed = seed, .host = part.host}, pool);
    ASSERT_TRUE(outcome.good()) << to_text(outcome);
    for (const auto& [counter, count] : outcome.judgement.counters) total[counter] += count;
  }
  const double took = std::max(seconds_used() - began, 1e-9);
  print_line(fmt::format("simulation, {}: {} seeds from {}, 0 failed, {:.0f} seeds/s", part.name,
                         part.count, part.first, static_cast<double>(part.count) / took));
  for (const char* counter : seen) EXPECT_GT(total[counter], 0) << counter << " was never seen";
  if (part.host == HostKind::sqlite) {
    EXPECT_GT(total["nemesis.disk"], 0);
  }
}

// Together 5,000; in parts, so that they can run in parallel.
INSTANTIATE_TEST_SUITE_P(Simulation, Seeds,
                         testing::Values(Part{"memory_1", HostKind::memory, 1, 1150},
                                         Part{"memory_2", HostKind::memory, 1151, 1150},
                                         Part{"memory_3", HostKind::memory, 2301, 1150},
                                         Part{"memory_4", HostKind::memory, 3451, 1150},
                                         Part{"sqlite", HostKind::sqlite, 1, 400}),
                         [](const auto& one) { return one.param.name; });

// ---- The proof that it bites ------------------------------------------------------------------

TEST(Simulation, FindsEveryInjectedDefect) {
  constexpr std::uint64_t most = 1000;
  StackPool pool;
  for (int i = 1; i < planted_count; ++i) {
    const auto planted = static_cast<Planted>(i);
    std::uint64_t seed = 1;
    Outcome outcome = simulate({.seed = seed, .planted = planted}, pool);
    while (outcome.good() && seed < most) {
      outcome = simulate({.seed = ++seed, .planted = planted}, pool);
    }
    ASSERT_FALSE(outcome.good()) << to_text(planted) << " was not found in " << most << " seeds";
    const std::string by = outcome.complaints.empty() ? outcome.judgement.violations.front().rule
                                                      : outcome.complaints.front().substr(0, 2);
    print_line(
        fmt::format("  planted: {:<30} found by {} after {} seeds", to_text(planted), by, seed));
  }
}

// Each is found within so many seeds, and not by narrow setups.
std::vector<checker::Mutant> new_mutants() {
  std::vector<checker::Mutant> all;
  for (const auto part :
       {checker::settings_mutants(), checker::set_back_mutants(), checker::cluster_mutants()}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  for (const checker::Mutant& mutant : checker::commit_mutants()) {
    // The others are also found by narrow setups, which batch concurrent commands too.
    if (mutant.name == "end of a large commit not written") all.push_back(mutant);
  }
  return all;
}

Wanted with_mutant(const checker::Mutant& mutant, std::uint64_t seed, bool wide) {
  return {.seed = seed, .wide = wide, .mutant = std::string(mutant.name)};
}

TEST(Simulation, FindsEveryMutantInWideWorlds) {
  constexpr std::uint64_t most = 150;
  StackPool pool;
  for (const checker::Mutant& mutant : new_mutants()) {
    std::uint64_t seed = 1;
    Outcome outcome = simulate(with_mutant(mutant, seed, true), pool);
    while (outcome.good() && seed < most) {
      outcome = simulate(with_mutant(mutant, ++seed, true), pool);
    }
    EXPECT_FALSE(outcome.good()) << mutant.name << " was not found in " << most << " seeds";
    if (outcome.good()) continue;
    const std::string by = outcome.complaints.empty() ? outcome.judgement.violations.front().rule
                                                      : outcome.complaints.front().substr(0, 2);
    print_line(fmt::format("  mutant: {:<40} found by {} after {} seeds", mutant.name, by, seed));
  }
}

TEST(Simulation, FindsNoneOfThemInNarrowWorlds) {
  constexpr std::uint64_t most = 60;
  StackPool pool;
  for (const checker::Mutant& mutant : new_mutants()) {
    for (std::uint64_t seed = 1; seed <= most; ++seed) {
      const Outcome outcome = simulate(with_mutant(mutant, seed, false), pool);
      ASSERT_TRUE(outcome.good()) << mutant.name << "\n" << to_text(outcome);
    }
  }
  print_line(fmt::format("  mutants: none of them found in {} narrow worlds each", most));
}

// ---- The program ------------------------------------------------------------------------------

TEST(Campaign, PrintsSeedAndCommitFirstAndTheReplayOfWhatFailed) {
  Campaign campaign{.first = {.seed = 1, .planted = Planted::answers_before_the_store}};
  campaign.seeds = 3;
  std::ostringstream out;
  EXPECT_FALSE(run_campaign(campaign, out));
  const std::string text = out.str();
  EXPECT_TRUE(text.starts_with("seed 1 commit ")) << text;
  EXPECT_NE(text.find("replay: longshore_sim --seed 1 --plant answers-before-the-store --trace\n"),
            std::string::npos)
      << text;
}

TEST(Campaign, UnderstandsItsArgumentsAndNothingElse) {
  const auto good =
      parse_campaign({"--seed", "7", "--seeds", "3", "--trace", "--ground", "sqlite"});
  ASSERT_TRUE(good.ok());
  EXPECT_EQ(good->first.seed, 7U);
  EXPECT_EQ(good->first.host, HostKind::sqlite);
  EXPECT_EQ(good->seeds, 3);
  EXPECT_TRUE(good->trace);
  const std::vector<std::vector<std::string>> bad = {
      {"--seed"},           {"--seed", "x"},      {"--seed", "-1"},
      {"--ground", "sand"}, {"--plant", "roses"}, {"--kept", ""},
      {"--narrow", "no"},   {"--mutant", "x"},    {"7"}};
  for (const auto& words : bad) {
    SCOPED_TRACE(words.front());
    EXPECT_FALSE(parse_campaign(words).ok());
  }
}

}  // namespace
}  // namespace longshore::sim
