// Waiting for the signals that ask a program to end.
#pragma once

#include <memory>
#include <stop_token>

namespace longshore {

// While it lives, SIGINT and SIGTERM do not end the process but the wait. One at a time.
class EndSignals {
 public:
  EndSignals();
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  // Blocks until one of them has come that was not waited for yet. False if `stop` was requested
  // first.
  bool wait(const std::stop_token& stop = {});

 private:
  struct Before;
  std::unique_ptr<Before> before_;
};

}  // namespace longshore
