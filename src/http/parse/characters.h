// Which characters are allowed in the parts of a request (RFC 9110, RFC 9112).
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace longshore::wire {

namespace characters {

using Set = std::array<bool, 256>;

constexpr Set token = [] {
  Set set{};
  for (const char c : std::string_view("!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz"
                                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
    set[static_cast<unsigned char>(c)] = true;
  }
  return set;
}();

// Chunk extensions: names, some with values.
constexpr Set extension = [] {
  Set set = token;
  set[';'] = set['='] = true;
  return set;
}();

// Header values. Bytes beyond ASCII are allowed and have no meaning.
constexpr Set value = [] {
  Set set{};
  for (std::size_t c = 0x20; c < 0x100; ++c) set[c] = c != 0x7f;
  set['\t'] = true;
  return set;
}();

// Paths and queries: visible characters, except those reserved for fragments.
constexpr Set target = [] {
  Set set{};
  for (std::size_t c = 0x21; c < 0x7f; ++c) set[c] = c != '#';
  return set;
}();

// A host name, an address in brackets, a port.
constexpr Set host = [] {
  Set set{};
  for (const char c : std::string_view("-._~!$&'()*+;=%:[]0123456789abcdefghijklmnopqrstuvwxyz"
                                       "ABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
    set[static_cast<unsigned char>(c)] = true;
  }
  return set;
}();

}  // namespace characters

constexpr bool consists_of(std::string_view text, const characters::Set& set) {
  return std::all_of(text.begin(), text.end(),
                     [&set](char c) { return set[static_cast<unsigned char>(c)]; });
}

// The value of a hexadecimal digit, or -1.
constexpr int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

constexpr char to_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

// ASCII items only, which suffices for HTTP names.
constexpr bool equal_ignoring_case(std::string_view a, std::string_view b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
           return to_lower(x) == to_lower(y);
         });
}

// Without spaces and tabs at either end.
constexpr std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace longshore::wire
