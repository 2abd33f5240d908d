#include "cli/terminal/spinner.h"

#include <chrono>
#include <iostream>

#include "cli/terminal/figures.h"
#include "cli/terminal/terminal.h"

namespace longshore {
namespace {

constexpr auto between_frames = std::chrono::milliseconds(500);

}  // namespace

Spinner::Spinner(std::string what) : what_(std::move(what)) {
  if (!errors_reach_terminal()) return;
  thread_ = std::jthread([this](const std::stop_token& stop) { tell(stop); });
}

Spinner::~Spinner() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  std::cerr << "\r\x1b[K" << std::flush;
}

void Spinner::tell(const std::stop_token& stop) {
  const Instant began = steady_now();
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, stop, between_frames, [] { return false; })) {
    if (stop.stop_requested()) return;
    std::cerr << "\r\x1b[K" << what_ << ", " << age_text(steady_now() - began) << std::flush;
  }
}

}  // namespace longshore
