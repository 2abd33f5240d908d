// Waiting for the signals that ask a program to end.
#pragma once

#include <memory>

namespace longshore {

// While it lives, SIGINT and SIGTERM do not end the process but the wait. One at a time.
class EndSignals {
 public:
  EndSignals();
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  // Blocks until one of them has come.
  void wait();

 private:
  struct Before;
  std::unique_ptr<Before> before_;
};

}  // namespace longshore
