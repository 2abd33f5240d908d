// Tasks that other threads leave for the thread of a connection. It is woken once, however many
// tasks are added while it is busy.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/sync/mutex.h"

namespace longshore::wire {

class Connection;

// Called once; with null, on any thread, if the connection is gone.
using Task = std::move_only_function<void(Connection*)>;

// Safe to share between threads. May outlive its thread, since responses may come late.
class Inbox {
 public:
  struct Item {
    std::weak_ptr<Connection> connection;
    Task task;
  };

  // `wake` is called, with a lock held, when the first task is added.
  explicit Inbox(std::function<void()> wake) : wake_(std::move(wake)) {}

  void put(std::weak_ptr<Connection> connection, Task task);
  // Takes all tasks. `empty` becomes the buffer for the next ones.
  void take(std::vector<Item>& empty);
  // Current and later tasks are called with null. `wake` is not called any more.
  void close();

 private:
  Mutex mutex_;
  std::function<void()> wake_ LONGSHORE_GUARDED_BY(mutex_);  // empty once closed
  std::vector<Item> items_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore::wire
