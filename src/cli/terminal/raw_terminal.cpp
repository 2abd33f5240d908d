#include "cli/terminal/raw_terminal.h"

#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <string>

namespace longshore {
namespace {

constexpr std::string_view enter_screen = "\x1b[?1049h\x1b[?25l";
constexpr std::string_view leave_screen = "\x1b[?25h\x1b[?1049l";

constexpr char control_c = 3;
constexpr char control_z = 26;

// Used by signal handlers, which can access only globals.
termios before{};
volatile std::sig_atomic_t is_raw = 0;
volatile std::sig_atomic_t to_end = 0;

// Retries short writes; errors are ignored.
void put(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written <= 0) return;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void make_raw() {
  if (::tcgetattr(STDIN_FILENO, &before) != 0) return;
  termios raw = before;
  raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | ISIG);
  raw.c_iflag &= ~static_cast<tcflag_t>(IXON);
  raw.c_cc[VMIN] = 0;
  raw.c_cc[VTIME] = 0;
  if (::tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw) != 0) return;
  is_raw = 1;
  put(enter_screen);
}

void restore() {
  if (is_raw == 0) return;
  is_raw = 0;
  put(leave_screen);
  ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
}

void on_end(int) { to_end = 1; }
void on_change(int) {}

void on_crash(int number) {
  restore();
  std::signal(number, SIG_DFL);
  std::raise(number);
}

// Without SA_RESTART, so that a signal ends the wait for a key.
void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  ::sigaction(number, &action, nullptr);
}

KeyPress meaning_of(std::string_view bytes) {
  if (bytes == "\x1b[A" || bytes == "\x1bOA") return {.key = Key::up};
  if (bytes == "\x1b[B" || bytes == "\x1bOB") return {.key = Key::down};
  if (bytes.front() == '\x1b') return {.key = Key::escape};
  if (bytes.front() == '\r' || bytes.front() == '\n') return {.key = Key::enter};
  if (bytes.front() == '\x7f' || bytes.front() == '\b') return {.key = Key::backspace};
  return {.key = Key::letter, .letter = bytes.front()};
}

}  // namespace

RawTerminal::RawTerminal() {
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) handle(number, on_end);
  for (const int number : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) handle(number, on_crash);
  handle(SIGWINCH, on_change);
  make_raw();
}

RawTerminal::~RawTerminal() { restore(); }

bool RawTerminal::is_to_end() { return to_end != 0; }

void RawTerminal::stop_and_go_on() {
  restore();
  std::raise(SIGSTOP);
  make_raw();  // after SIGCONT
}

std::optional<KeyPress> RawTerminal::next_key(Duration longest) {
  pollfd waited{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  const int ready =
      ::poll(&waited, 1, static_cast<int>(std::clamp<std::int64_t>(longest.count(), 0, 60'000)));
  if (ready <= 0) return std::nullopt;
  // An escape sequence arrives in one read; plain characters are read one by one.
  std::array<char, 8> bytes{};
  const ssize_t first = ::read(STDIN_FILENO, bytes.data(), 1);
  if (first <= 0) {
    to_end = 1;  // end of input
    return std::nullopt;
  }
  ssize_t got = 1;
  if (bytes[0] == '\x1b') got += std::max<ssize_t>(::read(STDIN_FILENO, bytes.data() + 1, 2), 0);
  if (bytes[0] == control_c) to_end = 1;
  if (bytes[0] == control_z) {
    stop_and_go_on();
    return std::nullopt;
  }
  return meaning_of({bytes.data(), static_cast<std::size_t>(got)});
}

void RawTerminal::show(std::string_view text) {
  std::string frame = "\x1b[H";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    frame += text.substr(0, end);
    frame += "\x1b[K";
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!text.empty()) frame += "\r\n";
  }
  put(frame + "\x1b[J");
}

}  // namespace longshore
