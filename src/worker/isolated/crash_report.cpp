#include "worker/isolated/crash_report.h"

#include <execinfo.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>

namespace longshore {
namespace {

constexpr int frames_max = 24;
constexpr int own_frames = 2;  // this signal handler and its caller

std::atomic<int> described_in = -1;  // a signal handler can only use globals

void describe(int number) {
  std::array<void*, frames_max> frames;
  const int count = ::backtrace(frames.data(), frames_max);
  if (count > own_frames) {
    ::backtrace_symbols_fd(frames.data() + own_frames, count - own_frames, described_in);
  }
  ::signal(number, SIG_DFL);
  ::raise(number);
}

}  // namespace

void describe_crashes(int file) {
  described_in = file;
  // The first call loads a library; do that before a crash.
  std::array<void*, 1> frame;
  ::backtrace(frame.data(), 1);
  // A separate stack, in case of a stack overflow.
  static std::array<char, 64 * 1024> room;
  stack_t stack = {};
  stack.ss_sp = room.data();
  stack.ss_size = room.size();
  ::sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_handler = describe;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  ::sigemptyset(&action.sa_mask);
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    ::sigaction(number, &action, nullptr);
  }
}

}  // namespace longshore
