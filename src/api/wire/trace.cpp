#include "api/wire/trace.h"

#include <algorithm>

namespace longshore {
namespace {

constexpr std::size_t request_id_max = 128;
constexpr std::size_t traceparent_length = 55;  // of version 00
constexpr std::size_t traceparent_max = 256;

bool is_lower_hex(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_zero(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return c == '0'; });
}

bool is_visible(char c) { return c > ' ' && c < '\x7f'; }

}  // namespace

bool is_sane_request_id(std::string_view id) {
  return !id.empty() && id.size() <= request_id_max && std::ranges::all_of(id, is_visible);
}

bool is_traceparent(std::string_view text) {
  if (text.size() < traceparent_length || text.size() > traceparent_max) return false;
  const std::string_view version = text.substr(0, 2);
  const std::string_view trace = text.substr(3, 32);
  const std::string_view parent = text.substr(36, 16);
  const std::string_view flags = text.substr(53, 2);
  const bool dashes = text[2] == '-' && text[35] == '-' && text[52] == '-';
  const bool digits =
      is_lower_hex(version) && is_lower_hex(trace) && is_lower_hex(parent) && is_lower_hex(flags);
  if (!dashes || !digits || version == "ff" || is_zero(trace) || is_zero(parent)) return false;
  // Later versions may append fields after another dash.
  const std::string_view rest = text.substr(traceparent_length);
  if (rest.empty()) return true;
  return version != "00" && rest[0] == '-' && std::ranges::all_of(rest, is_visible);
}

}  // namespace longshore
