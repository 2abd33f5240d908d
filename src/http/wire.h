// The state that all connections of a server share.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>

#include "core/sync/mutex.h"
#include "http/exchange.h"
#include "http/parse/request_reader.h"
#include "http/server.h"

namespace longshore::wire {

using Moment = std::chrono::steady_clock::time_point;

inline Moment now() { return std::chrono::steady_clock::now(); }
inline Moment later(Moment from, Duration by) {
  return from + std::chrono::milliseconds(by.count());
}

// Safe to share between threads.
class Wire {
 public:
  Wire(HttpApplication& the_application, HttpOptions the_options)
      : application(the_application),
        options(std::move(the_options)),
        head_limits{.request_line_bytes = options.request_line_bytes,
                    .header_bytes = options.header_bytes,
                    .header_count = options.header_count} {}

  HttpApplication& application;
  const HttpOptions options;
  const HeadLimits head_limits;
  std::atomic<std::size_t> in_flight_bytes = 0;
  std::atomic<bool> draining = false;  // connections close after their response

  void connected() { connections_.fetch_add(1); }
  void disconnected();
  std::size_t connections() const { return connections_.load(); }
  // False if some are still open after `longest`.
  bool wait_until_empty(Duration longest);

  // Connections that only receive a 503. They do not count as connections(). False: there are too
  // many even of these.
  bool begin_rejecting();
  void end_rejecting() { rejected_.fetch_sub(1); }

 private:
  std::atomic<std::size_t> connections_ = 0;
  std::atomic<std::size_t> rejected_ = 0;
  Mutex mutex_;
  std::condition_variable_any emptied_;
};

}  // namespace longshore::wire
