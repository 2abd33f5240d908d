// The SQLite store on a failing disk: at every call of one workload, in each way that the call can
// fail, and at random in thousands of workloads.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "faults/trial.h"

namespace longshore::faults {
namespace {

constexpr std::uint64_t workload_seed = 7;

// Sanitizers make a trial several times slower and check the code, not the disk: they get every
// tenth call and a tenth of the seeds. The release build runs all of them.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int stride = 10;
#else
constexpr int stride = 1;
#endif

Finding undisturbed(Trial::End end) {
  return run({.seed = workload_seed, .end = end, .looks = true}, Disk{});
}

TEST(SqliteStoreOnFaultyDisk, KeepsItsPromisesWithoutFaults) {
  for (const auto end : {Trial::End::close, Trial::End::kill, Trial::End::power_cut}) {
    const Finding finding = undisturbed(end);
    EXPECT_EQ(finding.problem, "");
    EXPECT_EQ(finding.acknowledged, 66) << "60 commits, and 6 after reopening";
  }
}

// A disk that ignores syncs loses commits, and a trial must notice it.
TEST(SqliteStoreOnFaultyDisk, LosesCommitsOnADiskThatIgnoresSyncs) {
  int losses = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Finding finding = run({.seed = seed, .damage = seed, .ignore_syncs = true}, made_disk());
    losses += finding.problem.empty() ? 0 : 1;
  }
  EXPECT_GT(losses, 10);
}

class EveryCall : public testing::TestWithParam<FaultKind> {};

// The first of two trials ends with a power cut or, where that is the point, by closing; the second
// has a persistent fault and ends with a kill.
Trial trial_at(FaultKind kind, std::int64_t at, bool persistent, bool closing) {
  Trial trial{.seed = workload_seed, .faults = {{kind, at, persistent}}, .looks = true};
  trial.damage = static_cast<std::uint64_t>(at);
  trial.thorough = at % 4 == 0;
  trial.end = persistent ? Trial::End::kill : Trial::End::power_cut;
  if (closing || (kind != FaultKind::power_cut && at % 3 == 0)) trial.end = Trial::End::close;
  return trial;
}

TEST_P(EveryCall, MayFailWithoutALossOrAFalseAnswer) {
  const FaultKind kind = GetParam();
  const auto index = static_cast<std::size_t>(kind);
  const Finding whole = undisturbed(Trial::End::close);
  const std::int64_t total = whole.calls[index];
  ASSERT_GT(total, 0);
  std::int64_t tried = 0, reached = 0, problems = 0;
  for (std::int64_t at = 1; at <= total && problems < 5; at += stride) {
    bool fired = true;
    for (const bool persistent : {false, true}) {
      const bool closing = at > whole.calls_before_end[index];
      const Trial trial = trial_at(kind, at, persistent, closing);
      const Finding finding = run(trial, Disk{});
      fired = fired && finding.fired > 0;
      if (finding.problem.empty()) continue;
      ++problems;
      ADD_FAILURE() << to_text(kind) << " at call " << at << (persistent ? " and after" : "")
                    << ", end " << static_cast<int>(trial.end) << ": " << finding.problem;
    }
    ++tried;
    reached += fired ? 1 : 0;
  }
  fmt::print("{}: {} / {}\n", to_text(kind), reached, total);
  EXPECT_EQ(reached, tried);
}

INSTANTIATE_TEST_SUITE_P(Fault, EveryCall,
                         testing::Values(FaultKind::read_error, FaultKind::write_error,
                                         FaultKind::torn_write, FaultKind::disk_full,
                                         FaultKind::sync_error, FaultKind::open_error,
                                         FaultKind::lock_busy, FaultKind::lock_error,
                                         FaultKind::shm_error, FaultKind::power_cut),
                         [](const testing::TestParamInfo<FaultKind>& of) {
                           std::string name(to_text(of.param));
                           name[name.find(' ')] = '_';
                           return name;
                         });

// After a failed sync the system may still show data that never reached the disk. A store that is
// reopened without a reboot must not rely on it.
TEST(SqliteStoreOnFaultyDisk, DoesNotRelyOnCachedDataAfterAFailedSync) {
  const auto syncs = static_cast<std::size_t>(FaultKind::sync_error);
  const std::int64_t total = undisturbed(Trial::End::close).calls_before_end[syncs];
  int problems = 0;
  for (std::int64_t at = 1; at <= total && problems < 5; at += stride) {
    for (std::uint64_t damage = 1; damage <= 8; ++damage) {
      Trial trial{.seed = workload_seed, .damage = damage, .end = Trial::End::kill};
      trial.faults = {{FaultKind::sync_error, at}};
      trial.recovery_faults = {{FaultKind::power_cut, static_cast<std::int64_t>(damage * 40)}};
      const Finding finding = run(trial, Disk{});
      if (finding.problem.empty()) continue;
      ++problems;
      ADD_FAILURE() << "sync " << at << ", damage " << damage << ": " << finding.problem;
    }
  }
}

// Else the seed that a failure names might not fail again.
TEST(RandomTrials, GiveTheSameFindingWhateverWasTriedBefore) {
  constexpr std::uint64_t count = 24;
  std::vector<Finding> findings;
  const RandomTrials trials;
  for (std::uint64_t seed = 1; seed <= count; ++seed) findings.push_back(trials.run(seed));
  const RandomTrials others;
  for (std::uint64_t seed = count; seed >= 1; --seed) {
    EXPECT_EQ(others.run(seed), findings[seed - 1]) << "seed " << seed;
  }
}

class RandomFaults : public testing::TestWithParam<int> {};

// In tenths, so that they can run in parallel within the time limit.
TEST_P(RandomFaults, CauseNoLossAndNoFalseAnswer) {
  constexpr std::uint64_t share = 2000 / stride;
  const RandomTrials trials;
  int problems = 0, disturbed = 0;
  const std::uint64_t first = 1 + share * static_cast<std::uint64_t>(GetParam());
  for (std::uint64_t seed = first; seed < first + share && problems < 5; ++seed) {
    const Finding finding = trials.run(seed);
    disturbed += finding.fired > 0 ? 1 : 0;
    if (finding.problem.empty()) continue;
    ++problems;
    ADD_FAILURE() << finding.problem << "\nreplay: longshore_faults --seeds 1 --from " << seed;
  }
  EXPECT_GT(disturbed, static_cast<int>(share / 2));
}

INSTANTIATE_TEST_SUITE_P(Tenth, RandomFaults, testing::Range(0, 10));

}  // namespace
}  // namespace longshore::faults
