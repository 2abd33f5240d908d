#include "core/json/json_token.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/text/bytes.h"
#include "core/text/utf8.h"

namespace longshore {
namespace {

constexpr std::uint64_t each_byte(std::uint64_t value) { return value * 0x0101010101010101ULL; }

// Sets bit 7 of each byte that is below `bound` (1 to 128). Bytes above a marked one may be marked
// wrongly, so only the lowest mark is reliable.
constexpr std::uint64_t bytes_below(std::uint64_t word, std::uint64_t bound) {
  return (word - each_byte(bound)) & ~word & each_byte(0x80);
}

// The lowest mark is the first byte that ends a run of plain characters.
constexpr std::uint64_t special_bytes(std::uint64_t word) {
  return bytes_below(word ^ each_byte('"'), 1) | bytes_below(word ^ each_byte('\\'), 1) |
         bytes_below(word, 0x20) | (word & each_byte(0x80));
}

bool is_special(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte >= 0x80 || c == '"' || c == '\\';
}

const char* skip_plain(const char* at, const char* end) {
  while (end - at >= 8) {
    const std::uint64_t marks = special_bytes(load_little_endian(at));
    if (marks != 0) return at + std::countr_zero(marks) / 8;
    at += 8;
  }
  while (at != end && !is_special(*at)) ++at;
  return at;
}

bool is_hex_digit(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

// Scans one string.
class StringScan {
 public:
  StringScan(const char* at, const char* end) : end_(end), token_{.end = at} {}

  JsonToken run() {
    do {
      token_.end = skip_plain(token_.end, end_);
    } while (special());
    return token_;
  }

 private:
  char peek(std::ptrdiff_t ahead = 0) const {
    return end_ - token_.end > ahead ? token_.end[ahead] : '\0';
  }

  bool fail(const char* what) {
    token_.what = what;
    return false;
  }

  // Reads a character that is not plain. False at the end of the string or at an error.
  bool special() {
    if (token_.end == end_) return fail("the text ends inside a string");
    const char c = *token_.end;
    if (c == '"') {
      ++token_.end;
      return false;
    }
    if (c == '\\') return escape();
    if (static_cast<unsigned char>(c) < 0x20) {
      return fail("unescaped control character in a string");
    }
    return beyond_ascii();
  }

  bool beyond_ascii() {
    do {
      const std::size_t size = utf8_front(std::string_view(token_.end, end_));
      if (size == 0) {
        token_.is_bad_utf8 = true;
        return fail("invalid UTF-8");
      }
      token_.end += size;
    } while (static_cast<unsigned char>(peek()) >= 0x80);
    return true;
  }

  bool escape() {
    token_.has_escapes = true;
    if (end_ - token_.end < 2) {
      token_.end = end_;
      return fail("the text ends inside a string");
    }
    const char c = token_.end[1];
    if (c == 'u') return unicode_escape();
    if (!std::string_view("\"\\/bfnrt").contains(c)) {
      return fail("unknown escape sequence");
    }
    token_.end += 2;
    return true;
  }

  // Errors are reported at the backslash.
  bool unicode_escape() {
    unsigned unit = 0;
    if (!code_unit(0, unit)) return fail("\\u must be followed by four hexadecimal digits");
    if (unit >= 0xDC00 && unit <= 0xDFFF) return fail("unpaired surrogate");
    if (unit >= 0xD800 && unit <= 0xDBFF) {
      unsigned low = 0;
      if (peek(6) != '\\' || peek(7) != 'u' || !code_unit(6, low) || low < 0xDC00 || low > 0xDFFF) {
        return fail("unpaired surrogate");
      }
      token_.end += 6;
    }
    token_.end += 6;
    return true;
  }

  bool code_unit(std::ptrdiff_t ahead, unsigned& unit) const {
    for (std::ptrdiff_t i = ahead + 2; i < ahead + 6; ++i) {
      const char c = peek(i);
      if (!is_hex_digit(c)) return false;
      unit = unit << 4 | static_cast<unsigned>(is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return true;
  }

  const char* end_;
  JsonToken token_;
};

const char* skip_digits(const char* at, const char* end) {
  while (at != end && is_digit(*at)) ++at;
  return at;
}

}  // namespace

JsonToken scan_json_string(const char* at, const char* end) {
  return StringScan(at + 1, end).run();
}

JsonToken scan_json_number(const char* at, const char* end) {
  if (*at == '-') ++at;
  if (at == end || !is_digit(*at))
    return {.end = at, .what = "expected a digit after the minus sign"};
  const char* integer = at;
  at = skip_digits(at, end);
  if (*integer == '0' && at - integer > 1) {
    return {.end = integer + 1, .what = "a number must not have leading zeros"};
  }
  if (at != end && *at == '.') {
    const char* fraction = at + 1;
    at = skip_digits(fraction, end);
    if (at == fraction) return {.end = at, .what = "expected a digit after the decimal point"};
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    if (at != end && (*at == '+' || *at == '-')) ++at;
    const char* exponent = at;
    at = skip_digits(exponent, end);
    if (at == exponent) return {.end = at, .what = "expected a digit in the exponent"};
  }
  return {.end = at};
}

}  // namespace longshore
