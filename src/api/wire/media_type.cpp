#include "api/wire/media_type.h"

#include <algorithm>
#include <string>

namespace longshore {
namespace {

std::string lower(std::string_view text) {
  std::string lowered(text);
  std::ranges::transform(lowered, lowered.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return lowered;
}

std::string_view trimmed(std::string_view text) {
  const std::string_view space = " \t";
  const std::size_t first = text.find_first_not_of(space);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(space) - first + 1);
}

// Parameters other than a charset are ignored.
bool is_fine_parameter(std::string_view parameter) {
  if (!parameter.starts_with("charset=")) return true;
  std::string_view charset = parameter.substr(8);
  if (charset.size() >= 2 && charset.front() == '"' && charset.back() == '"') {
    charset = charset.substr(1, charset.size() - 2);
  }
  return charset == "utf-8" || charset == "utf8" || charset == "us-ascii";
}

Problem unsupported(std::string detail) {
  return {.code = Code::unsupported_media_type, .detail = std::move(detail)};
}

}  // namespace

bool is_json_type(std::string_view content_type) {
  const std::string lowered = lower(content_type);
  std::string_view rest = lowered;
  const std::string_view type = trimmed(rest.substr(0, rest.find(';')));
  const bool json =
      type == "application/json" || (type.starts_with("application/") && type.ends_with("+json"));
  bool fine = json;
  for (std::size_t semicolon = rest.find(';'); fine && semicolon != std::string_view::npos;
       semicolon = rest.find(';')) {
    rest.remove_prefix(semicolon + 1);
    fine = is_fine_parameter(trimmed(rest.substr(0, rest.find(';'))));
  }
  return fine;
}

std::optional<Problem> media_type_problem(const HttpRequest& request) {
  const std::string_view encoding = request.header("Content-Encoding");
  if (!encoding.empty() && lower(encoding) != "identity") {
    return unsupported("Content-Encoding is not supported; send the body uncompressed");
  }
  const std::string_view type = request.header("Content-Type");
  if (type.empty() || is_json_type(type)) return std::nullopt;
  return unsupported("The body must be JSON in UTF-8; send Content-Type: application/json");
}

}  // namespace longshore
