// Generates ids of jobs and requests.
#pragma once

#include <memory>

#include "core/ids/random.h"
#include "core/ids/uuid.h"
#include "core/sync/mutex.h"

namespace longshore {

// Safe to share between threads.
class Ids {
 public:
  explicit Ids(std::unique_ptr<Random> random) : random_(std::move(random)), jobs_(*random_) {}

  JobId job(Instant now) {
    MutexLock lock(mutex_);
    return jobs_.next(now);
  }
  template <class AnyId>
  AnyId any() {
    MutexLock lock(mutex_);
    return random_id<AnyId>(*random_);
  }

 private:
  Mutex mutex_;
  // Guarded by mutex_.
  const std::unique_ptr<Random> random_;
  JobIds jobs_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore
