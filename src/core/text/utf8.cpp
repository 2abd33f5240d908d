#include "core/text/utf8.h"

#include <algorithm>

#include "core/assert.h"

namespace longshore {
namespace {

bool is_continuation(unsigned char byte) { return byte >> 6 == 0b10; }

// The second byte decides most of what RFC 3629 forbids.
bool is_second(unsigned char lead, unsigned char second) {
  switch (lead) {
    case 0xE0:
      return second >= 0xA0 && second <= 0xBF;  // below: overlong
    case 0xED:
      return second >= 0x80 && second <= 0x9F;  // above: surrogates
    case 0xF0:
      return second >= 0x90 && second <= 0xBF;  // below: overlong
    case 0xF4:
      return second >= 0x80 && second <= 0x8F;  // above: beyond U+10FFFF
    default:
      return is_continuation(second);
  }
}

std::size_t size_by_lead(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead < 0xC2) return 0;  // a continuation, or the lead of an overlong form
  if (lead < 0xE0) return 2;
  if (lead < 0xF0) return 3;
  return lead < 0xF5 ? 4 : 0;
}

}  // namespace

std::size_t utf8_front(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text.data()[i]); };
  const std::size_t size = size_by_lead(byte(0));
  if (size <= 1) return size;
  if (text.size() < size || !is_second(byte(0), byte(1))) return 0;
  if (size >= 3 && !is_continuation(byte(2))) return 0;
  if (size == 4 && !is_continuation(byte(3))) return 0;
  return size;
}

std::optional<std::size_t> utf8_length(std::string_view text) {
  std::size_t length = 0;
  while (!text.empty()) {
    const std::size_t size = utf8_front(text);
    if (size == 0) return std::nullopt;
    text.remove_prefix(size);
    ++length;
  }
  return length;
}

std::string_view first_characters(std::string_view text, std::size_t most) {
  std::size_t bytes = 0;
  for (std::size_t count = 0; count < most && bytes < text.size(); ++count) {
    bytes += std::max<std::size_t>(utf8_front(text.substr(bytes)), 1);
  }
  return text.substr(0, bytes);
}

void append_utf8(std::string& out, char32_t character) {
  LONGSHORE_ASSERT(character < 0xD800 || (character > 0xDFFF && character <= 0x10FFFF));
  const auto put = [&out](char32_t byte) { out.push_back(static_cast<char>(byte)); };
  if (character < 0x80) {
    put(character);
  } else if (character < 0x800) {
    put(0xC0 | character >> 6);
    put(0x80 | (character & 0x3F));
  } else if (character < 0x10000) {
    put(0xE0 | character >> 12);
    put(0x80 | (character >> 6 & 0x3F));
    put(0x80 | (character & 0x3F));
  } else {
    put(0xF0 | character >> 18);
    put(0x80 | (character >> 12 & 0x3F));
    put(0x80 | (character >> 6 & 0x3F));
    put(0x80 | (character & 0x3F));
  }
}

}  // namespace longshore
