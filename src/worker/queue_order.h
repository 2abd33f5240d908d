// The order in which a claim visits the queues: as given, or first in proportion to their weights.
#pragma once

#include <string>
#include <vector>

#include "core/sync/mutex.h"
#include "longshore/worker.h"

namespace longshore {

// Safe to share between threads.
class QueueOrder {
 public:
  explicit QueueOrder(const std::vector<QueueOptions>& queues);

  // The given queues, which must be known, in the order for the next claim. With weights, each
  // queue is first in proportion to its weight.
  std::vector<std::string> arrange(std::vector<std::string> queues);

 private:
  struct Queue {
    std::string name;
    int weight = 0;
    int credit = 0;
  };
  Queue& known(const std::string& name);

  Mutex mutex_;
  // Guarded by mutex_.
  std::vector<Queue> queues_ LONGSHORE_GUARDED_BY(mutex_);  // empty: as given
};

}  // namespace longshore
