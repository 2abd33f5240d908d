// What the person in front of the program sees: how wide it is, whether it shows colours, and how
// much room a text takes there.
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
  bool colours = false;      // never without a terminal, with NO_COLOR, or if TERM says "dumb"
};

// Of standard output, as it is now.
Screen screen();

// There is somebody to ask: standard input and standard error are a terminal.
bool can_ask();
bool errors_reach_terminal();

// The text with everything that a terminal would obey instead of show replaced: control
// characters, and bytes that are no UTF-8. Line ends become spaces.
std::string harmless(std::string_view text);

// How many columns a harmless text takes: letters of East Asia and emoji take two, combining
// marks none.
std::size_t width_of(std::string_view text);

// The text if it fits, else its beginning and "…".
std::string cut_to(std::string_view text, std::size_t columns);

// With the sequences of the colour around it, if `wanted`.
std::string painted(std::string_view text, Colour colour, bool wanted);

}  // namespace longshore
