// A terminal that hands over every key at once and shows a screen of its own, and becomes what it
// was before on every way out: at the end of a scope, by a signal, after a crash.
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

// One at a time in a process.
class RawTerminal {
 public:
  // Does nothing but remember if standard input is no terminal.
  RawTerminal();
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

  // The next key, or nothing after so much time, or when the window changed or a signal came.
  std::optional<KeyPress> next_key(Duration longest);

  // Shows this from the top left corner, and nothing else.
  void show(std::string_view text);

  // Somebody asked the process to end, or the terminal is gone.
  static bool is_to_end();

 private:
  void stop_and_go_on();
};

}  // namespace longshore
