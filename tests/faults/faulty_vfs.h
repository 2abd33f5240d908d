// A SQLite VFS over a simulated Disk whose calls are counted and can be made to fail. Several
// connections of one process may share its files: locks exclude each other, and the WAL index is in
// shared memory, as with SQLite's own VFS on Linux. Several instances may exist at once; the real
// disk is not used, and the sleep of a busy handler returns at once.
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

// Shared by all open files of one VFS.
struct Machine {
  Mutex mutex;
  // Guarded by mutex.
  Disk disk;
  FaultPlan plan;
  SeededRandom random;
  bool ignore_syncs = false;
  std::map<const DiskFile*, std::weak_ptr<ProcessState>> states;

  Machine(Disk first, std::uint64_t seed) : disk(std::move(first)), random(seed) {}
};

// Safe to share between threads. Deterministic if the calls come in the same order.
class FaultyVfs {
 public:
  // `seed` decides how writes are torn and what a failed sync loses.
  FaultyVfs(Disk disk, std::uint64_t seed);
  // All connections must be closed before.
  ~FaultyVfs();
  FaultyVfs(const FaultyVfs&) = delete;
  FaultyVfs& operator=(const FaultyVfs&) = delete;

  // For sqlite3_open_v2; unique to this instance.
  const std::string& name() const { return name_; }

  void arm(const Fault& fault);
  void disarm();
  // From now on every call fails, and none reaches the disk.
  void cut_power();
  // From now on a sync succeeds without effect, like a disk with a volatile cache.
  void ignore_syncs();

  std::int64_t calls(FaultKind kind) const;
  std::int64_t fired() const;

  // A copy of the disk with unsynced changes: what another process finds after this one was killed.
  // Disk::lose_power turns it into what is found after a reboot.
  Disk disk() const;

 private:
  std::string name_;
  sqlite3_vfs vfs_{};
  mutable Machine machine_;
};

}  // namespace longshore::faults
