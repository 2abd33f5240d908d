#include "core/ids/lease_token.h"

#include <algorithm>
#include <charconv>

#include "core/ids/uuid.h"

namespace longshore {
namespace {

std::optional<std::int64_t> parse_epoch(std::string_view text) {
  if (text.empty() || text[0] == '-' || (text[0] == '0' && text.size() > 1)) return std::nullopt;
  std::int64_t epoch = 0;
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, epoch);
  if (fault != std::errc() || stop != end) return std::nullopt;
  return epoch;
}

bool has_upper_case(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

}  // namespace

bool operator==(const LeaseToken& a, const LeaseToken& b) {
  const auto epochs = static_cast<std::uint64_t>(a.epoch) ^ static_cast<std::uint64_t>(b.epoch);
  return (epochs | (a.claim.high ^ b.claim.high) | (a.claim.low ^ b.claim.low)) == 0;
}

std::string to_text(const LeaseToken& token) {
  return std::to_string(token.epoch) + "-" + to_hex(token.claim);
}

std::optional<LeaseToken> parse_lease_token(std::string_view text) {
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos || has_upper_case(text)) return std::nullopt;
  const auto epoch = parse_epoch(text.substr(0, dash));
  const auto claim = parse_hex_id<RequestId>(text.substr(dash + 1));
  if (!epoch || !claim) return std::nullopt;
  return LeaseToken{.epoch = *epoch, .claim = *claim};
}

}  // namespace longshore
