// What a store's server turned out to have lost, for whoever asks and whoever listens.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "core/sync/mutex.h"
#include "longshore/store.h"

namespace longshore {

// Safe to share between threads.
class LossBook {
 public:
  void listen(std::function<void(const std::string&)> listener) {
    MutexLock lock(mutex_);
    listener_ = std::move(listener);
  }
  // Calls the listener on this thread.
  void add(const std::string& how) {
    std::function<void(const std::string&)> listener;
    {
      MutexLock lock(mutex_);
      losses_.count += 1;
      losses_.latest = how;
      listener = listener_;
    }
    if (listener) listener(how);
  }
  Losses losses() const {
    MutexLock lock(mutex_);
    return losses_;
  }

 private:
  mutable Mutex mutex_;
  Losses losses_ LONGSHORE_GUARDED_BY(mutex_);
  std::function<void(const std::string&)> listener_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore
