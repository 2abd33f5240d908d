#include "faults/fault_plan.h"

namespace longshore::faults {
namespace {

bool applies_to(FaultKind kind, Call call) {
  switch (kind) {
    case FaultKind::read_error:
      return call == Call::read || call == Call::size || call == Call::access;
    case FaultKind::write_error:
      return call == Call::write || call == Call::truncate || call == Call::remove;
    case FaultKind::torn_write:
    case FaultKind::disk_full:
      return call == Call::write;
    case FaultKind::sync_error:
      return call == Call::sync;
    case FaultKind::open_error:
      return call == Call::open;
    case FaultKind::lock_busy:
      return call == Call::lock || call == Call::shm_lock;
    case FaultKind::lock_error:
      return call == Call::lock;
    case FaultKind::shm_error:
      return call == Call::shm_map || call == Call::shm_lock;
    case FaultKind::power_cut:
      return true;
    case FaultKind::no_power:
      return false;
  }
  return false;
}

}  // namespace

std::string_view to_text(FaultKind kind) {
  constexpr std::string_view words[] = {"read error", "write error", "torn write", "disk full",
                                        "sync error", "open error",  "lock busy",  "lock error",
                                        "shm error",  "power cut",   "no power"};
  return words[static_cast<std::size_t>(kind)];
}

std::optional<FaultKind> FaultPlan::next_fault(Call call) {
  if (!power_) return FaultKind::no_power;
  for (int kind = 0; kind < fault_kind_count; ++kind) {
    if (applies_to(static_cast<FaultKind>(kind), call)) ++calls_[static_cast<std::size_t>(kind)];
  }
  for (const Fault& fault : faults_) {
    if (!applies_to(fault.kind, call) || !is_due(fault)) continue;
    ++fired_;
    if (fault.kind == FaultKind::power_cut) power_ = false;
    return fault.kind;
  }
  return std::nullopt;
}

bool FaultPlan::is_due(const Fault& fault) const {
  const std::int64_t now = calls(fault.kind);
  return fault.persistent ? now >= fault.at : now == fault.at;
}

}  // namespace longshore::faults
