// What has come in for a worker and waits for one of its threads. One thread is woken at a time,
// and wakes the next before it begins: while handlers are quick, few threads do the work of many
// slots and hardly ever sleep; when they are slow, every slot has its thread.
#pragma once

#include <condition_variable>
#include <utility>

#include "core/sync/fifo.h"
#include "core/sync/mutex.h"

namespace longshore {

// Safe to share between threads.
template <class Item>
class Arrivals {
 public:
  void put(Item item) {
    MutexLock lock(mutex_);
    items_.push(std::move(item));
    wake_one();
  }

  // Blocks until there is one.
  Item take() {
    MutexLock lock(mutex_);
    while (items_.empty()) {
      sleeping_ += 1;
      came_.wait(mutex_);
      sleeping_ -= 1;
      waking_ = false;
    }
    Item item = items_.pop();
    if (!items_.empty()) wake_one();
    return item;
  }

 private:
  // Whenever items wait and threads sleep, one of these is being woken.
  void wake_one() {
    mutex_.assert_held();
    if (sleeping_ == 0 || waking_) return;
    waking_ = true;
    came_.notify_one();
  }

  Mutex mutex_;
  std::condition_variable_any came_;
  // Guarded by mutex_.
  Fifo<Item> items_ LONGSHORE_GUARDED_BY(mutex_);
  int sleeping_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  bool waking_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

}  // namespace longshore
