#include "store/redis/pack.h"

namespace longshore::redis {

void Pack::word(std::uint64_t value, int bytes) {
  for (int i = bytes - 1; i >= 0; --i) bytes_ += static_cast<char>(value >> (8 * i) & 0xFF);
}

Pack& Pack::list(std::size_t items) {
  if (items < 16) {
    bytes_ += static_cast<char>(0x90 | items);
  } else if (items <= 0xFFFF) {
    bytes_ += '\xDC';
    word(items, 2);
  } else {
    bytes_ += '\xDD';
    word(items, 4);
  }
  return *this;
}

Pack& Pack::text(std::string_view text) {
  if (text.size() < 32) {
    bytes_ += static_cast<char>(0xA0 | text.size());
  } else if (text.size() <= 0xFFFF) {
    bytes_ += '\xDA';
    word(text.size(), 2);
  } else {
    bytes_ += '\xDB';
    word(text.size(), 4);
  }
  bytes_ += text;
  return *this;
}

// Sixteen bytes are 32 digits and four dashes, which is too long for a short text.
Pack& Pack::id(const JobId& id) {
  constexpr char digits[] = "0123456789abcdef";
  constexpr std::size_t length = 36;
  bytes_ += {'\xDA', 0, length};
  bytes_.resize(bytes_.size() + length);
  char* at = bytes_.data() + bytes_.size() - length;
  for (std::size_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) *at++ = '-';
    const std::uint64_t half = i < 8 ? id.high : id.low;
    const auto byte = static_cast<unsigned>(half >> (56 - 8 * (i % 8)) & 0xFF);
    *at++ = digits[byte >> 4];
    *at++ = digits[byte & 15];
  }
  return *this;
}

Pack& Pack::number(std::int64_t number) {
  if (number >= -32 && number < 128) {
    bytes_ += static_cast<char>(number);
    return *this;
  }
  bytes_ += '\xD3';
  word(static_cast<std::uint64_t>(number), 8);
  return *this;
}

Pack& Pack::boolean(bool value) {
  bytes_ += value ? '\xC3' : '\xC2';
  return *this;
}

}  // namespace longshore::redis
