// How far long work has come, how fast it goes and when it will be done: one line on standard
// error, which on a terminal is written over and over.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "longshore/time.h"

namespace longshore {

// Call from one thread.
class Progress {
 public:
  // `what` is done to jobs: "enqueued". Without a total there is no end to foresee.
  Progress(std::string what, std::optional<std::int64_t> total);
  ~Progress();  // as finish()
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void advance(std::int64_t jobs);
  // Writes the last line, and leaves it there.
  void finish();

  std::int64_t done() const { return done_; }
  // "enqueued 300 of 1,000 (30%), 120/s, 6s left", as it is after so much time.
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
