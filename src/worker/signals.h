// Waits for the signals that end a program.
#pragma once

#include <memory>
#include <stop_token>

namespace longshore {

// While it exists, SIGINT and SIGTERM end wait() and not the process. One instance at a time.
class EndSignals {
 public:
  EndSignals();
  ~EndSignals();
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  // Blocks until a signal arrives that no earlier wait() has returned for. False if `stop` was
  // requested first.
  bool wait(const std::stop_token& stop = {});

 private:
  struct Before;
  std::unique_ptr<Before> before_;
};

}  // namespace longshore
