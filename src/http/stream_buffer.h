// The bytes of a stream that its reader has not received.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/sync/mutex.h"

namespace longshore::wire {

// Safe to share between threads: the application puts, the connection takes.
class StreamBuffer {
 public:
  explicit StreamBuffer(std::size_t bytes_max) : bytes_max_(bytes_max) {}

  enum class Put {
    kept,
    kept_first,  // the connection has not been notified yet
    refused,     // the reader is gone or too slow, or the stream has ended
  };
  Put put(std::string_view bytes);
  // True the first time.
  bool end();

  struct Taken {
    std::string bytes;
    bool ended = false;  // nothing follows these bytes
  };
  Taken take();
  // The reader has received this many of the bytes taken.
  void release(std::size_t bytes);
  // The reader is gone.
  void leave();

 private:
  std::size_t bytes_max_;  // constant after construction

  Mutex mutex_;
  std::string waiting_ LONGSHORE_GUARDED_BY(mutex_);
  std::size_t taken_ LONGSHORE_GUARDED_BY(mutex_) = 0;  // and not released
  bool told_ LONGSHORE_GUARDED_BY(mutex_) = false;
  bool ended_ LONGSHORE_GUARDED_BY(mutex_) = false;
  bool gone_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

}  // namespace longshore::wire
