// Which call to the disk fails, and how. Calls are counted separately for each kind of fault, so
// that "the 7th call that can fail with an fsync error" is the same in every run of a scenario.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace longshore::faults {

enum class FaultKind : std::uint8_t {
  read_error,   // EIO from a read or from asking for a size
  write_error,  // EIO from a write, a truncation or a removal, without effect
  torn_write,   // EIO from a write after a part of it
  disk_full,    // ENOSPC from a write, perhaps after a part of it
  sync_error,   // EIO from fsync; changes that did not arrive count as clean, and are lost
  open_error,   // a file cannot be opened
  lock_busy,    // a lock, of a file or of shared memory, is held
  lock_error,   // the call that locks a file fails
  shm_error,    // shared memory cannot be mapped or locked
  power_cut,    // this call is the last that may have had an effect, and fails too
  no_power,     // every call after a power cut; never armed
};
inline constexpr int fault_kind_count = 10;
std::string_view to_text(FaultKind kind);

enum class Call : std::uint8_t {
  open,
  read,
  size,
  access,
  write,
  truncate,
  remove,
  sync,
  lock,
  shm_map,
  shm_lock,
};

// The `at`-th call (from 1) that can fail this way does; with `persistent`, so do all later ones.
struct Fault {
  FaultKind kind = FaultKind::power_cut;
  std::int64_t at = 1;
  bool persistent = false;
};

// Not safe to share between threads.
class FaultPlan {
 public:
  void arm(const Fault& fault) { faults_.push_back(fault); }
  // Removes armed faults; a power cut stays.
  void disarm() { faults_.clear(); }
  void cut_power() { power_ = false; }

  // Counts the call and returns the fault to apply, if any.
  std::optional<FaultKind> next_fault(Call call);

  // The number of calls so far that can fail this way.
  std::int64_t calls(FaultKind kind) const { return calls_[static_cast<std::size_t>(kind)]; }
  // The number of calls that failed because of armed faults.
  std::int64_t fired() const { return fired_; }

 private:
  bool is_due(const Fault& fault) const;

  std::vector<Fault> faults_;
  std::array<std::int64_t, fault_kind_count> calls_{};
  std::int64_t fired_ = 0;
  bool power_ = true;
};

}  // namespace longshore::faults
