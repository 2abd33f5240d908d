#include "http/wire.h"

namespace longshore::wire {
namespace {

constexpr std::size_t rejected_max = 1024;

}  // namespace

void Wire::disconnected() {
  if (connections_.fetch_sub(1) != 1) return;
  const MutexLock lock(mutex_);
  emptied_.notify_all();
}

bool Wire::begin_rejecting() {
  if (rejected_.fetch_add(1) < rejected_max) return true;
  end_rejecting();
  return false;
}

bool Wire::wait_until_empty(Duration longest) {
  const Moment end = later(now(), longest);
  const MutexLock lock(mutex_);
  return emptied_.wait_until(mutex_, end, [this] { return connections() == 0; });
}

}  // namespace longshore::wire
