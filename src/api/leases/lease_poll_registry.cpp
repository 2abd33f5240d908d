#include "api/leases/lease_poll_registry.h"

namespace longshore {
namespace {

constexpr std::size_t polls_remembered = 10'000;

}  // namespace

std::shared_ptr<NamedPoll> LeasePollRegistry::poll(const RequestId& id, Engine& engine,
                                                   const std::string& ns) {
  MutexLock lock(mutex_);
  if (const auto known = polls_.find(id); known != polls_.end()) return known->second;
  forget_some_polls();
  poll_ages_.push_back(id);
  return polls_[id] = std::make_shared<NamedPoll>(engine, ns);
}

// Two for each new one, so that the number shrinks again after a peak.
void LeasePollRegistry::forget_some_polls() {
  mutex_.assert_held();
  for (int i = 0; i < 2 && poll_ages_.size() >= polls_remembered; ++i) {
    const RequestId oldest = poll_ages_.front();
    poll_ages_.pop_front();
    const auto found = polls_.find(oldest);
    if (found->second.use_count() == 1) {
      polls_.erase(found);
    } else {
      poll_ages_.push_back(oldest);  // it has an open call
    }
  }
}

}  // namespace longshore
