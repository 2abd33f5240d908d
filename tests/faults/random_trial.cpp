#include <algorithm>

#include "core/ids/random.h"
#include "faults/trial.h"

namespace longshore::faults {
namespace {

// The trial whose calls are counted.
constexpr int whole_workload = 60;  // commits
const Trial undisturbed{
    .seed = 7, .end = Trial::End::close, .commits = whole_workload, .looks = true};

using Calls = std::array<std::int64_t, fault_kind_count>;

std::int64_t up_to(std::int64_t most, Random& random) {
  return 1 + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most)));
}

Fault any_fault(const Calls& calls, Random& random) {
  const std::uint64_t kind = random.below(fault_kind_count);
  return {.kind = static_cast<FaultKind>(kind),
          .at = up_to(calls[kind], random),
          .persistent = random.chance(0.4)};
}

Fault cut(const Calls& calls, Random& random) {
  const auto kind = static_cast<std::size_t>(FaultKind::power_cut);
  return {.kind = FaultKind::power_cut, .at = up_to(calls[kind], random)};
}

}  // namespace

RandomTrials::RandomTrials() : made_(made_disk()), calls_(faults::run(undisturbed, Disk{}).calls) {}

// A quarter of them begin with a disk on which there was no store yet.
Finding RandomTrials::run(std::uint64_t seed) const {
  return faults::run(at(seed), seed % 4 == 0 ? Disk{} : made_);
}

Trial RandomTrials::at(std::uint64_t seed) const {
  SeededRandom random(seed ^ 0x9E3779B97F4A7C15ULL);
  Trial trial{.seed = seed, .damage = seed, .thorough = seed % 4 == 0, .looks = seed % 4 == 1};
  trial.commits = 10 + static_cast<int>(random.below(51));
  Calls calls = calls_;
  for (std::int64_t& count : calls) {
    count = std::max<std::int64_t>(count * trial.commits / whole_workload, 1);
  }
  trial.end = static_cast<Trial::End>(random.below(3));
  if (random.chance(0.5)) {
    trial.faults.push_back(cut(calls, random));
    trial.end = Trial::End::power_cut;
  }
  while (trial.faults.empty() || random.chance(0.25)) {
    trial.faults.push_back(any_fault(calls, random));
  }
  // Opening takes far fewer calls than a whole workload.
  Calls few = calls;
  for (std::int64_t& count : few) count = std::clamp<std::int64_t>(count / 20, 1, 80);
  while (random.chance(0.2)) trial.recovery_faults.push_back(any_fault(few, random));
  return trial;
}

}  // namespace longshore::faults
