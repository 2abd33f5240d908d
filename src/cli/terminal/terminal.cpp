#include "cli/terminal/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "core/text/utf8.h"

namespace longshore {
namespace {

struct Span {
  char32_t first, last;
};

// Blocks that Unicode calls wide or full-width: a terminal uses two columns for each character.
constexpr std::array wide = {
    Span{0x1100, 0x115F},   Span{0x231A, 0x231B},   Span{0x23E9, 0x23EC},   Span{0x2E80, 0x303E},
    Span{0x3041, 0x33FF},   Span{0x3400, 0x4DBF},   Span{0x4E00, 0x9FFF},   Span{0xA000, 0xA4CF},
    Span{0xAC00, 0xD7A3},   Span{0xF900, 0xFAFF},   Span{0xFE30, 0xFE6F},   Span{0xFF00, 0xFF60},
    Span{0xFFE0, 0xFFE6},   Span{0x1F300, 0x1F64F}, Span{0x1F680, 0x1F6FF}, Span{0x1F900, 0x1F9FF},
    Span{0x20000, 0x2FFFD}, Span{0x30000, 0x3FFFD}};
// Combining marks and invisible characters.
constexpr std::array narrow = {Span{0x0300, 0x036F}, Span{0x0483, 0x0489}, Span{0x0591, 0x05BD},
                               Span{0x0610, 0x061A}, Span{0x064B, 0x065F}, Span{0x0E31, 0x0E31},
                               Span{0x0E34, 0x0E3A}, Span{0x1AB0, 0x1AFF}, Span{0x1DC0, 0x1DFF},
                               Span{0x200B, 0x200F}, Span{0x20D0, 0x20FF}, Span{0xFE00, 0xFE0F},
                               Span{0xFE20, 0xFE2F}};

template <std::size_t n>
bool is_in(const std::array<Span, n>& spans, char32_t letter) {
  return std::ranges::any_of(
      spans, [letter](const Span& span) { return letter >= span.first && letter <= span.last; });
}

std::size_t width_of(char32_t letter) {
  if (letter < 0x300) return 1;
  if (is_in(narrow, letter)) return 0;
  return is_in(wide, letter) ? 2 : 1;
}

// REQUIRES: `bytes` is one valid UTF-8 character.
char32_t decode(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (bytes.size() == 1) return byte(0);
  char32_t letter = byte(0) & (0x7FU >> bytes.size());
  for (std::size_t i = 1; i < bytes.size(); ++i) letter = (letter << 6U) | (byte(i) & 0x3FU);
  return letter;
}

// Calls `see` with the bytes and the code point of each character until it returns false.
template <class See>
void each_letter(std::string_view text, See see) {
  while (!text.empty()) {
    const std::size_t length = std::max<std::size_t>(utf8_front(text), 1);
    const std::string_view bytes = text.substr(0, length);
    if (!see(bytes, utf8_front(text) == 0 ? char32_t{0xFFFD} : decode(bytes))) return;
    text.remove_prefix(length);
  }
}

bool is_control(char32_t letter) {
  const bool control = letter < 0x20 || (letter >= 0x7F && letter < 0xA0);
  // Bidirectional controls can disguise the content of a line.
  const bool turns =
      (letter >= 0x202A && letter <= 0x202E) || (letter >= 0x2066 && letter <= 0x2069);
  return control || turns;
}

bool is_set(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

bool is_dumb() {
  const char* const kind = std::getenv("TERM");
  return kind == nullptr || std::string_view(kind) == "dumb";
}

std::string_view sequence_of(Colour colour) {
  switch (colour) {
    case Colour::bold:
      return "\x1b[1m";
    case Colour::dim:
      return "\x1b[2m";
    case Colour::red:
      return "\x1b[31m";
    case Colour::green:
      return "\x1b[32m";
    case Colour::yellow:
      return "\x1b[33m";
    case Colour::blue:
      return "\x1b[34m";
    case Colour::plain:
      break;
  }
  return "";
}

}  // namespace

Screen screen() {
  Screen found;
  found.is_terminal = ::isatty(STDOUT_FILENO) == 1;
  if (!found.is_terminal) return found;
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    found.columns = size.ws_col;
    if (size.ws_row > 0) found.rows = size.ws_row;
  }
  found.colours = !is_set("NO_COLOR") && !is_dumb();
  return found;
}

bool can_prompt() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1; }
bool errors_reach_terminal() { return ::isatty(STDERR_FILENO) == 1; }

std::string sanitized(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  each_letter(text, [&](std::string_view bytes, char32_t letter) {
    if (letter == '\n' || letter == '\t' || letter == '\r') {
      shown += ' ';
    } else if (is_control(letter) || letter == 0xFFFD) {
      shown += "\xEF\xBF\xBD";
    } else {
      shown += bytes;
    }
    return true;
  });
  return shown;
}

std::size_t width_of(std::string_view text) {
  std::size_t columns = 0;
  each_letter(text, [&](std::string_view, char32_t letter) {
    columns += width_of(letter);
    return true;
  });
  return columns;
}

std::string truncated(std::string_view text, std::size_t columns) {
  if (width_of(text) <= columns) return std::string(text);
  if (columns == 0) return "";
  std::string kept;
  std::size_t used = 0;
  each_letter(text, [&](std::string_view bytes, char32_t letter) {
    used += width_of(letter);
    if (used > columns - 1) return false;
    kept += bytes;
    return true;
  });
  return kept + "…";
}

std::string painted(std::string_view text, Colour colour, bool wanted) {
  if (!wanted || colour == Colour::plain) return std::string(text);
  return std::string(sequence_of(colour)) + std::string(text) + "\x1b[0m";
}

}  // namespace longshore
