// A Trial sends the commits of a random workload to the SQLite store on a faulty disk, injects
// faults, opens what is left on a healthy disk and compares it with what was acknowledged.
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
    close,      // the store is closed normally, with faults still armed
    kill,       // the process is killed; its writes are kept
    power_cut,  // unsynced writes are lost, entirely or in part
  };

  std::uint64_t seed = 1;     // of the workload
  std::uint64_t damage = 1;   // seed for torn writes and for what a power cut loses
  std::vector<Fault> faults;  // armed before the store is opened
  // Each is armed for one more opening after the end, with a little work, that ends in a power cut.
  std::vector<Fault> recovery_faults;
  End end = End::power_cut;
  int commits = 60;
  bool thorough = false;  // also compare what is slow: everything after six more commits, logs and
                          // every page of the file
  bool looks = false;     // read everything in the middle of the workload and at its end
  bool ignore_syncs = false;  // to prove that a trial can find a loss
};

struct Finding {
  std::string problem;  // empty: the store kept its promises
  int acknowledged = 0;
  int refused = 0;   // with a definite error
  int in_doubt = 0;  // commits with an unknown outcome
  std::int64_t fired = 0;
  // How many calls could fail in each way: before the end, and including it.
  std::array<std::int64_t, fault_kind_count> calls_before_end{};
  std::array<std::int64_t, fault_kind_count> calls{};
  friend bool operator==(const Finding&, const Finding&) = default;
};

// `start` is the disk before the store is opened. Deterministic for the same arguments.
Finding run(const Trial& trial, const Disk& start);

// A disk with an empty store, created and closed without faults.
Disk made_disk();

// What to try for one of a million seeds: workloads, faults and ends of all sorts. Whoever runs a
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
