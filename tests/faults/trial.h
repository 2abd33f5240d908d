// A Trial sends a voyage's commits to the SQLite store on a faulty disk, breaks something on the
// way, opens what is left on a healthy disk and compares it with what had been acknowledged.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "faults/disk.h"
#include "faults/fault_plan.h"

namespace longshore::faults {

struct Trial {
  enum class End : std::uint8_t {
    close,      // the store is closed as usual, faults still in force
    kill,       // the process is gone; what it wrote is there
    power_cut,  // and so is what it had not synced, or a part of it
  };

  std::uint64_t seed = 1;     // of the voyage
  std::uint64_t damage = 1;   // the seed of how things tear and of what a power cut takes
  std::vector<Fault> faults;  // beginning with the opening of the store
  // Each befalls one more opening after the end, with a little work, which a power cut ends.
  std::vector<Fault> recovery_faults;
  End end = End::power_cut;
  int commits = 60;
  bool thorough = false;   // also compare what takes long: all after six more commits,
                           // logs too, and every page of the file
  bool looks = false;      // read everything in the middle of the voyage and at its end
  bool syncs_lie = false;  // for proving that a trial can find a loss
};

struct Finding {
  std::string problem;  // empty: the store kept its word
  int acknowledged = 0;
  int refused = 0;   // for certain
  int in_doubt = 0;  // commits whose outcome was unknown
  std::int64_t fired = 0;
  // How many calls each kind could have befallen: before the end, and with it.
  std::array<std::int64_t, fault_kind_count> calls_before_end{};
  std::array<std::int64_t, fault_kind_count> calls{};
  friend bool operator==(const Finding&, const Finding&) = default;
};

// `start` is the disk before the store is opened. The same arguments give the same finding.
Finding run(const Trial& trial, const Disk& start);

// A disk with an empty store on it, made and closed in peace.
Disk made_disk();

// What to try for one of a million seeds: voyages, faults and ends of all sorts. Whoever runs a
// seed does so here, so that a seed that failed anywhere can be run again.
class RandomTrials {
 public:
  RandomTrials();

  Trial at(std::uint64_t seed) const;
  Finding run(std::uint64_t seed) const;

 private:
  const Disk made_;
  // Those of an undisturbed trial, so that faults come at calls that happen.
  const std::array<std::int64_t, fault_kind_count> calls_;
};

}  // namespace longshore::faults
