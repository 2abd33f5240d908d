// In which order a claim visits the queues: as given, or each first as often as its weight says.
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

  // The same queues, which are some of those it knows, in the order for the next claim. By weights
  // the first place goes round: of any so many claims in a row, each queue is first in proportion.
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
