// How other threads reach a connection: they leave an errand for the thread it lives on. However
// many are left while that thread is busy, it is woken once.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/sync/mutex.h"

namespace longshore::wire {

class Connection;

// Called once, with null if the connection is gone, and then on any thread.
using Errand = std::move_only_function<void(Connection*)>;

// Safe to share between threads. Outlives its thread if it must: answers may come late.
class Inbox {
 public:
  struct Letter {
    std::weak_ptr<Connection> connection;
    Errand errand;
  };

  // `wake` is called when there is something after there was nothing; with a lock held.
  explicit Inbox(std::function<void()> wake) : wake_(std::move(wake)) {}

  void put(std::weak_ptr<Connection> connection, Errand errand);
  // All there is. `empty` becomes the room for what comes next.
  void take(std::vector<Letter>& empty);
  // What is there, and whatever comes, finds its connection gone. `wake` is not called any more.
  void close();

 private:
  Mutex mutex_;
  std::function<void()> wake_ LONGSHORE_GUARDED_BY(mutex_);  // empty once closed
  std::vector<Letter> letters_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore::wire
