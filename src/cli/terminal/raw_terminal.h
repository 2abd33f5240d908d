// A terminal in raw mode with the alternate screen. Restored at the end of the scope, by signals
// and after a crash.
#pragma once

#include <optional>
#include <string_view>

#include "longshore/time.h"

namespace longshore {

enum class Key { up, down, enter, escape, backspace, letter };

struct KeyPress {
  Key key = Key::letter;
  char letter = 0;
};

// At most one per process at a time.
class RawTerminal {
 public:
  // Does nothing if standard input is not a terminal.
  RawTerminal();
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

  // The next key; nothing after the timeout, a resize or a signal.
  std::optional<KeyPress> next_key(Duration longest);

  // Replaces the content of the screen.
  void show(std::string_view text);

  // A signal asked the process to end, or the terminal was closed.
  static bool is_to_end();

 private:
  void stop_and_go_on();
};

}  // namespace longshore
