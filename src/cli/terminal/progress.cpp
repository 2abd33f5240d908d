#include "cli/terminal/progress.h"

#include <algorithm>
#include <iostream>

#include "cli/terminal/figures.h"
#include "cli/terminal/terminal.h"

namespace longshore {
namespace {

// A terminal is updated often, a log rarely.
constexpr Duration between_frames = Duration::millis(100);
constexpr Duration between_lines = Duration::seconds(5);

}  // namespace

Progress::Progress(std::string what, std::optional<std::int64_t> total)
    : what_(std::move(what)),
      total_(total),
      on_terminal_(errors_reach_terminal()),
      began_(steady_now()),
      shown_(began_) {}

Progress::~Progress() { finish(); }

void Progress::advance(std::int64_t jobs) {
  done_ += jobs;
  const Instant now = steady_now();
  if (now - shown_ < (on_terminal_ ? between_frames : between_lines)) return;
  shown_ = now;
  write(now, false);
}

void Progress::finish() {
  if (finished_) return;
  finished_ = true;
  write(steady_now(), true);
}

std::string Progress::line(Duration elapsed) const {
  const double seconds = std::max(elapsed.in_seconds(), 0.001);
  const double rate = static_cast<double>(done_) / seconds;
  std::string text = what_ + " " + count_text(done_);
  if (total_ && *total_ > 0) {
    text += " of " + count_text(*total_) + " (" + std::to_string(done_ * 100 / *total_) + "%)";
  }
  text += ", " + rate_text(rate);
  if (!total_ || done_ >= *total_) return text + ", " + age_text(elapsed);
  if (rate <= 0) return text;
  const double left = static_cast<double>(*total_ - done_) / rate;
  return text + ", " + age_text(Duration::millis(static_cast<std::int64_t>(left * 1000))) + " left";
}

void Progress::write(Instant now, bool last) {
  const std::string text = line(now - began_);
  if (on_terminal_) {
    std::cerr << "\r\x1b[K" << text << (last ? "\n" : "") << std::flush;
  } else {
    std::cerr << text << std::endl;
  }
}

}  // namespace longshore
