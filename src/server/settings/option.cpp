#include "server/settings/option.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "server/settings/duration_text.h"

namespace longshore {
namespace {

using Kind = Option::Kind;

std::string joined(const std::vector<std::string_view>& words) {
  std::string all;
  for (const std::string_view word : words) {
    if (!all.empty()) all += ", ";
    all += word;
  }
  return all;
}

std::optional<std::string> natural_fault(const Option& option, std::string_view value) {
  std::int64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [rest, fault] = std::from_chars(value.data(), end, number);
  const bool sound = fault == std::errc() && rest == end && !value.empty();
  if (sound && number >= option.least && number <= option.most) return std::nullopt;
  return "must be a whole number from " + std::to_string(option.least) + " to " +
         std::to_string(option.most);
}

std::optional<std::string> fraction_fault(std::string_view value) {
  double number = 0;
  const char* const end = value.data() + value.size();
  const auto [rest, fault] = std::from_chars(value.data(), end, number, std::chars_format::fixed);
  const bool sound = fault == std::errc() && rest == end && number >= 0 && number <= 1;
  if (sound) return std::nullopt;
  return "must be a number from 0 to 1";
}

}  // namespace

std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char letter : name) {
    if (letter == '-' || letter == '_') continue;
    plain += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  return plain;
}

const Option* find_option(std::string_view name) {
  const std::string plain = plain_name(name);
  for (const Option& option : all_options()) {
    if (plain_name(option.name) == plain) return &option;
  }
  return nullptr;
}

std::string flag_of(const Option& option) {
  std::string flag = "--" + std::string(option.name);
  std::ranges::replace(flag, '.', '-');
  return flag;
}

std::string variable_of(const Option& option) {
  std::string variable = "LONGSHORE_";
  for (const char letter : option.name) {
    const bool gap = letter == '-' || letter == '.';
    variable += gap ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(letter)));
  }
  return variable;
}

std::optional<std::string> value_fault(const Option& option, std::string_view value) {
  switch (option.kind) {
    case Kind::text:
    case Kind::list:
      return std::nullopt;
    case Kind::boolean:
      if (value == "true" || value == "false" || value == "1" || value == "0") return std::nullopt;
      return "must be true or false";
    case Kind::natural:
      return natural_fault(option, value);
    case Kind::fraction:
      return fraction_fault(value);
    case Kind::duration:
      if (parse_duration(value)) return std::nullopt;
      return "must be a duration, such as 30s, 5m, 12h or 90d";
    case Kind::choice:
      if (std::ranges::find(option.words, value) != option.words.end()) return std::nullopt;
      return "must be one of " + joined(option.words);
  }
  return std::nullopt;
}

// Hides more rather than less: a password that holds a slash ends at the last '@' all the same.
std::string without_password(std::string_view url) {
  const std::size_t scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::string(url);
  std::string shown(url);
  const std::size_t query = shown.find('?');
  const std::size_t at = shown.rfind('@', query);
  const std::size_t colon = shown.find(':', scheme + 3);
  if (at != std::string::npos && colon < at) shown.replace(colon + 1, at - colon - 1, "***");
  const std::size_t named = shown.find("password=");
  if (named != std::string::npos) {
    const std::size_t begin = named + 9;
    shown.replace(begin, std::min(shown.find('&', begin), shown.size()) - begin, "***");
  }
  return shown;
}

}  // namespace longshore
