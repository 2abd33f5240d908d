#include "http/inbox.h"

#include <utility>

namespace longshore::wire {

void Inbox::put(std::weak_ptr<Connection> connection, Task task) {
  {
    const MutexLock lock(mutex_);
    if (wake_) {
      items_.push_back({std::move(connection), std::move(task)});
      if (items_.size() == 1) wake_();
      return;
    }
  }
  task(nullptr);
}

void Inbox::take(std::vector<Item>& empty) {
  const MutexLock lock(mutex_);
  items_.swap(empty);
}

void Inbox::close() {
  std::vector<Item> items;
  {
    const MutexLock lock(mutex_);
    wake_ = nullptr;
    items_.swap(items);
  }
  for (Item& item : items) item.task(nullptr);
}

}  // namespace longshore::wire
