// Progress, rate and remaining time of a long operation: one line on standard error, which is
// overwritten on a terminal.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "longshore/time.h"

namespace longshore {

// Call from one thread.
class Progress {
 public:
  // `what` is done to jobs: "enqueued". Without a total, no remaining time is shown.
  Progress(std::string what, std::optional<std::int64_t> total);
  ~Progress();  // calls finish()
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(std::int64_t jobs);
  // Prints the final line.
  void finish();

  std::int64_t done() const { return done_; }
  // "enqueued 300 of 1,000 (30%), 120/s, 6s left", after `elapsed`.
  std::string line(Duration elapsed) const;

 private:
  void write(Instant now, bool last);

  const std::string what_;
  const std::optional<std::int64_t> total_;
  const bool on_terminal_;
  const Instant began_;
  Instant shown_;
  std::int64_t done_ = 0;
  bool finished_ = false;
};

}  // namespace longshore
