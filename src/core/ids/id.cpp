#include "longshore/id.h"

#include "core/ids/uuid.h"
#include "core/text/bytes.h"

namespace longshore {
namespace {

constexpr std::size_t uuid_size = 36;

bool is_dash_place(std::size_t at) { return at == 8 || at == 13 || at == 18 || at == 23; }

}  // namespace

std::string to_hex(std::uint64_t high, std::uint64_t low) {
  std::string text(32, '0');
  for (std::size_t i = 0; i < 16; ++i) {
    text[15 - i] = hex_digits[high >> (4 * i) & 15];
    text[31 - i] = hex_digits[low >> (4 * i) & 15];
  }
  return text;
}

std::string to_text(const JobId& id) {
  const std::string hex = to_hex(id);
  std::string text;
  text.reserve(uuid_size);
  for (const char c : hex) {
    if (is_dash_place(text.size())) text.push_back('-');
    text.push_back(c);
  }
  return text;
}

std::optional<JobId> parse_job_id(std::string_view text) {
  if (text.size() != uuid_size) return std::nullopt;
  std::string hex;
  hex.reserve(32);
  for (std::size_t i = 0; i < uuid_size; ++i) {
    if (!is_dash_place(i)) {
      hex.push_back(text[i]);
    } else if (text[i] != '-') {
      return std::nullopt;
    }
  }
  const auto id = parse_hex_id<JobId>(hex);
  if (!id || (id->high >> 12 & 15) != 7 || id->low >> 62 != 2) return std::nullopt;
  return id;
}

}  // namespace longshore
