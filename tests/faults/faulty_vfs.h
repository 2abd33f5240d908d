// A SQLite VFS over a Disk in memory whose calls are counted and can be made to fail. Several
// connections of one process may share its files: locks exclude, and the WAL index lives in
// shared memory, as with SQLite's own VFS on Linux. Any number of instances may exist at once;
// nothing real is touched, and a busy handler's sleep takes no time.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "core/ids/random.h"
#include "core/sync/mutex.h"
#include "faults/disk.h"
#include "faults/fault_plan.h"
#include "faults/process_state.h"

namespace longshore::faults {

// What every open file of one VFS shares.
struct Machine {
  Mutex mutex;
  // Guarded by mutex.
  Disk disk;
  FaultPlan plan;
  SeededRandom random;
  bool syncs_lie = false;
  std::map<const DiskFile*, std::weak_ptr<ProcessState>> states;

  Machine(Disk first, std::uint64_t seed) : disk(std::move(first)), random(seed) {}
};

// Safe to share between threads. What it does is repeatable as long as the calls come in the
// same order.
class FaultyVfs {
 public:
  // `seed` decides how torn writes tear and what a failed sync loses.
  FaultyVfs(Disk disk, std::uint64_t seed);
  // Every connection must be closed by then.
  ~FaultyVfs();
  FaultyVfs(const FaultyVfs&) = delete;
  FaultyVfs& operator=(const FaultyVfs&) = delete;

  // For sqlite3_open_v2; no other instance has it.
  const std::string& name() const { return name_; }

  void arm(const Fault& fault);
  void disarm();
  // Every call fails from here on and none reaches the disk.
  void cut_power();
  // From here on a sync answers success and does nothing, as disks do whose cache lies.
  void lie_about_syncs();

  std::int64_t calls(FaultKind kind) const;
  std::int64_t fired() const;

  // A copy of what the disk holds, un-synced changes included: what another process finds after
  // this one was killed. Disk::lose_power makes of it what another boot finds.
  Disk disk() const;

 private:
  std::string name_;
  sqlite3_vfs vfs_{};
  mutable Machine machine_;
};

}  // namespace longshore::faults
