// Properties of the terminal, and the display width of text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace longshore {

enum class Colour { plain, bold, dim, red, green, yellow, blue };

struct Screen {
  bool is_terminal = false;
  std::size_t columns = 80;  // of a terminal
  std::size_t rows = 24;     // of a terminal
  bool colours = false;      // false if not a terminal, with NO_COLOR, or if TERM is "dumb"
};

// The current properties of standard output.
Screen screen();

// Whether the user can be prompted: standard input and standard error are a terminal.
bool can_prompt();
bool errors_reach_terminal();

// Replaces control characters and invalid UTF-8, so that the text is safe to print. Line ends
// become spaces.
std::string sanitized(std::string_view text);

// The number of columns of a sanitized text: East Asian wide characters and emoji take two,
// combining marks none.
std::size_t width_of(std::string_view text);

// The text if it fits, else a prefix and "…".
std::string truncated(std::string_view text, std::size_t columns);

// Adds the escape sequences of the colour, if `wanted`.
std::string painted(std::string_view text, Colour colour, bool wanted);

}  // namespace longshore
