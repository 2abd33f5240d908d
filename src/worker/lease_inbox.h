// A queue of replies for the threads of a worker. It wakes one thread at a time, which wakes the
// next before it starts: with fast handlers a few threads serve many slots and rarely sleep; with
// slow handlers every slot has its thread.
#pragma once

#include <condition_variable>
#include <utility>

#include "core/sync/fifo.h"
#include "core/sync/mutex.h"

namespace longshore {

// Safe to share between threads.
template <class Item>
class LeaseInbox {
 public:
  void put(Item item) {
    MutexLock lock(mutex_);
    items_.push(std::move(item));
    wake_one();
  }

  // Blocks until there is an item.
  Item take() {
    MutexLock lock(mutex_);
    while (items_.empty()) {
      sleeping_ += 1;
      arrived_.wait(mutex_);
      sleeping_ -= 1;
      waking_ = false;
    }
    Item item = items_.pop();
    if (!items_.empty()) wake_one();
    return item;
  }

 private:
  // Invariant: while items wait and threads sleep, one thread is being woken.
  void wake_one() {
    mutex_.assert_held();
    if (sleeping_ == 0 || waking_) return;
    waking_ = true;
    arrived_.notify_one();
  }

  Mutex mutex_;
  std::condition_variable_any arrived_;
  // Guarded by mutex_.
  Fifo<Item> items_ LONGSHORE_GUARDED_BY(mutex_);
  int sleeping_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  bool waking_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

}  // namespace longshore
