#include "worker/queue_order.h"

#include <algorithm>

#include "core/assert.h"

namespace longshore {

QueueOrder::QueueOrder(const std::vector<QueueOptions>& queues) {
  if (std::ranges::all_of(queues, [](const QueueOptions& queue) { return queue.weight == 0; })) {
    return;
  }
  for (const QueueOptions& queue : queues) {
    queues_.push_back({.name = queue.name, .weight = std::max(queue.weight, 1)});
  }
}

QueueOrder::Queue& QueueOrder::known(const std::string& name) {
  mutex_.assert_held();
  const auto found = std::ranges::find(queues_, name, &Queue::name);
  LONGSHORE_ASSERT(found != queues_.end(), "a worker asks for its own queues");
  return *found;
}

// Smooth weighted round-robin: every queue earns its weight, the queue with the most credit goes
// first and pays the sum of all weights. The others follow by credit.
std::vector<std::string> QueueOrder::arrange(std::vector<std::string> queues) {
  MutexLock lock(mutex_);
  if (queues_.empty()) return queues;
  int earned = 0;
  for (const std::string& name : queues) {
    Queue& queue = known(name);
    queue.credit += queue.weight;
    earned += queue.weight;
  }
  std::ranges::stable_sort(queues, std::ranges::greater(), [&](const std::string& name) {
    mutex_.assert_held();
    return known(name).credit;
  });
  known(queues.front()).credit -= earned;
  return queues;
}

}  // namespace longshore
