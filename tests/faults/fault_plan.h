// Which call to the disk fails, and how. Calls are counted for each kind of fault apart, so that
// "the 7th call that an fsync error can befall" means the same in every run of one scenario.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace longshore::faults {

enum class FaultKind : std::uint8_t {
  read_error,   // EIO from a read or from asking for a size
  write_error,  // EIO from a write, a truncation or a removal; nothing of it happened
  torn_write,   // EIO from a write after a part of it
  disk_full,    // ENOSPC from a write, perhaps after a part of it
  sync_error,   // EIO from fsync; what did not arrive counts as clean now, and is lost
  open_error,   // a file cannot be opened
  lock_busy,    // a lock, of a file or of shared memory, is taken
  lock_error,   // the call that locks a file fails
  shm_error,    // shared memory cannot be mapped or locked
  power_cut,    // this call is the last that may have happened, and it does not answer either
  no_power,     // what every call after that one meets; never armed
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

// The `at`-th call (from 1) of those that this kind can befall fails; with `persistent`, so do
// all such calls after it.
struct Fault {
  FaultKind kind = FaultKind::power_cut;
  std::int64_t at = 1;
  bool persistent = false;
};

// Not safe to share between threads.
class FaultPlan {
 public:
  void arm(const Fault& fault) { faults_.push_back(fault); }
  // What was armed is forgotten; lost power does not come back.
  void disarm() { faults_.clear(); }
  void cut_power() { power_ = false; }

  // Counts the call and says what happens to it instead of success.
  std::optional<FaultKind> meet(Call call);

  // How many calls came so far that this kind can befall.
  std::int64_t calls(FaultKind kind) const { return calls_[static_cast<std::size_t>(kind)]; }
  // How many calls were made to fail by what was armed.
  std::int64_t fired() const { return fired_; }

 private:
  bool is_due(const Fault& fault) const;

  std::vector<Fault> faults_;
  std::array<std::int64_t, fault_kind_count> calls_{};
  std::int64_t fired_ = 0;
  bool power_ = true;
};

}  // namespace longshore::faults
