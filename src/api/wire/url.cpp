#include "api/wire/url.h"

namespace longshore {
namespace {

std::optional<int> hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

std::string_view without_version(std::string_view path) {
  return path.starts_with("/v1/") ? path.substr(3) : path;
}

bool split_path(std::string_view path, std::vector<std::string>& segments) {
  while (path.starts_with('/')) {
    path.remove_prefix(1);
    const std::string_view segment = path.substr(0, path.find('/'));
    std::optional<std::string> decoded = percent_decoded(segment);
    if (!decoded) return false;
    segments.push_back(std::move(*decoded));
    path.remove_prefix(segment.size());
  }
  return path.empty();
}

bool split_query(std::string_view text, std::vector<std::pair<std::string, std::string>>& query) {
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    std::optional<std::string> name = percent_decoded(pair.substr(0, equals), true);
    std::optional<std::string> value =
        percent_decoded(pair.substr(std::min(equals + 1, pair.size())), true);
    if (!name || !value) return false;
    query.emplace_back(std::move(*name), std::move(*value));
  }
  return true;
}

}  // namespace

std::optional<std::string> percent_decoded(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += plus_is_space && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const auto high = hex_digit(text[i + 1]);
    const auto low = hex_digit(text[i + 2]);
    if (!high || !low) return std::nullopt;
    decoded += static_cast<char>(*high * 16 + *low);
    i += 2;
  }
  return decoded;
}

std::optional<Target> parse_target(std::string_view target) {
  Target parsed;
  target = target.substr(0, target.find('#'));
  const std::size_t question = std::min(target.find('?'), target.size());
  parsed.path = without_version(target.substr(0, question));
  if (!split_path(parsed.path, parsed.segments)) return std::nullopt;
  if (question == target.size()) return parsed;
  if (!split_query(target.substr(question + 1), parsed.query)) return std::nullopt;
  return parsed;
}

}  // namespace longshore
