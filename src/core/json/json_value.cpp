#include "core/json/json_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/text/bytes.h"
#include "core/text/utf8.h"

namespace longshore {
namespace {

// The value of four hexadecimal digits, or 0 if they are missing.
char32_t code_unit(std::string_view digits) {
  unsigned unit = 0;
  const std::string_view four = digits.substr(0, 4);
  const auto [stop, fault] = std::from_chars(four.data(), four.data() + four.size(), unit, 16);
  return fault == std::errc() && stop == four.data() + 4 ? unit : 0;
}

// Appends the character of a \u escape; `raw` is the text after the u. Returns how much it used.
std::size_t append_code_point(std::string& out, std::string_view raw) {
  const char32_t high = code_unit(raw);
  if (high < 0xD800 || high > 0xDFFF) {
    append_utf8(out, high);
    return std::min<std::size_t>(raw.size(), 4);
  }
  const char32_t low = raw.size() >= 10 ? code_unit(raw.substr(6)) : 0;
  if (high > 0xDBFF || low < 0xDC00 || low > 0xDFFF) {
    append_utf8(out, 0xFFFD);
    return 4;
  }
  append_utf8(out, 0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00));
  return 10;
}

char simple_escape(char c) {
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    default:
      return c;
  }
}

std::string unescape(std::string_view raw) {
  std::string out;
  out.reserve(raw.size());
  while (!raw.empty()) {
    const std::size_t plain = std::min(raw.find('\\'), raw.size());
    out.append(raw.substr(0, plain));
    raw.remove_prefix(plain);
    if (raw.size() < 2) break;
    const char c = raw[1];
    raw.remove_prefix(2);
    if (c == 'u') {
      raw.remove_prefix(append_code_point(out, raw));
    } else {
      out.push_back(simple_escape(c));
    }
  }
  return out;
}

void append_escape(std::string& out, char c) {
  constexpr std::string_view plain = "\"\\\b\f\n\r\t";
  constexpr std::string_view letters = "\"\\bfnrt";
  out.push_back('\\');
  if (const std::size_t at = plain.find(c); at != std::string_view::npos) {
    out.push_back(letters[at]);
    return;
  }
  out.append("u00");
  out.push_back(hex_digits[static_cast<unsigned char>(c) >> 4]);
  out.push_back(hex_digits[c & 15]);
}

// A number as digits · 10^exponent, with no zero at the end of the digits.
struct Decimal {
  bool is_negative = false;
  bool fits = true;  // the digits, in 64 bits
  std::uint64_t digits = 0;
  std::int64_t exponent = 0;
};

// False if the product does not fit.
bool multiply_by_ten(std::uint64_t& value, std::int64_t times) {
  for (; times > 0 && value != 0; --times) {
    if (value > std::numeric_limits<std::uint64_t>::max() / 10) return false;
    value *= 10;
  }
  return true;
}

// Clamped: with a larger exponent only zero is an integer that fits.
std::int64_t parse_exponent(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t exponent = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), exponent);
  const std::int64_t beyond = std::numeric_limits<std::int64_t>::max() / 4;
  if (result.ec == std::errc::result_out_of_range) return text.starts_with('-') ? -beyond : beyond;
  return std::clamp(exponent, -beyond, beyond);
}

Decimal parse_decimal(std::string_view text) {
  Decimal decimal;
  decimal.is_negative = text.starts_with('-');
  std::int64_t zeros = 0;  // read, and not yet followed by another digit
  bool in_fraction = false;
  const std::size_t mantissa = std::min(text.find_first_of("eE"), text.size());
  for (const char c : text.substr(0, mantissa)) {
    if (c == '.') in_fraction = true;
    if (!is_digit(c)) continue;
    if (in_fraction) --decimal.exponent;
    ++zeros;
    if (c == '0') continue;
    if (!multiply_by_ten(decimal.digits, zeros)) decimal.fits = false;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (decimal.digits > std::numeric_limits<std::uint64_t>::max() - digit) decimal.fits = false;
    decimal.digits += digit;
    zeros = 0;
  }
  decimal.exponent += zeros;
  if (mantissa < text.size()) decimal.exponent += parse_exponent(text.substr(mantissa + 1));
  return decimal;
}

}  // namespace

std::optional<std::string> json_string(const JsonSlice& slice) {
  if (slice.kind != JsonKind::string || slice.text.size() < 2) return std::nullopt;
  const std::string_view raw = slice.text.substr(1, slice.text.size() - 2);
  return raw.contains('\\') ? unescape(raw) : std::string(raw);
}

std::optional<bool> json_boolean(const JsonSlice& slice) {
  if (slice.kind != JsonKind::boolean) return std::nullopt;
  return slice.text == "true";
}

std::optional<std::int64_t> json_integer(const JsonSlice& slice) {
  if (slice.kind != JsonKind::number) return std::nullopt;
  Decimal decimal = parse_decimal(slice.text);
  if (decimal.digits == 0 && decimal.fits) return 0;
  if (!decimal.fits || decimal.exponent < 0) return std::nullopt;
  if (!multiply_by_ten(decimal.digits, decimal.exponent)) return std::nullopt;
  const std::uint64_t most = std::numeric_limits<std::int64_t>::max();
  if (decimal.digits > most + (decimal.is_negative ? 1 : 0)) return std::nullopt;
  // Unsigned negation also works for the lowest number.
  return static_cast<std::int64_t>(decimal.is_negative ? 0 - decimal.digits : decimal.digits);
}

std::optional<double> json_number(const JsonSlice& slice) {
  if (slice.kind != JsonKind::number) return std::nullopt;
  double value = 0;
  const char* end = slice.text.data() + slice.text.size();
  const auto [stop, fault] = std::from_chars(slice.text.data(), end, value);
  if (fault != std::errc() || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string json_name(const JsonMember& member) {
  return member.name_has_escapes ? unescape(member.raw_name) : std::string(member.raw_name);
}

bool is_named(const JsonMember& member, std::string_view name) {
  return member.name_has_escapes ? unescape(member.raw_name) == name : member.raw_name == name;
}

void append_json_string(std::string& out, std::string_view text) {
  out.push_back('"');
  std::size_t plain = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte >= 0x20 && byte != '"' && byte != '\\') continue;
    out.append(text, plain, i - plain);
    plain = i + 1;
    append_escape(out, text[i]);
  }
  out.append(text, plain);
  out.push_back('"');
}

}  // namespace longshore
