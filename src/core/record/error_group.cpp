#include "core/record/error_group.h"

#include <algorithm>
#include <cstddef>

#include "core/text/bytes.h"
#include "core/text/hash.h"

namespace longshore {
namespace {

constexpr std::size_t line_max = 500;

bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_word(char c) { return is_letter(c) || is_digit(c) || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'; }

template <class Predicate>
std::size_t run(std::string_view text, Predicate predicate) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), predicate) -
                                  text.begin());
}

// Each of these returns the length of the match at the front of `text`; 0 if there is none.

std::size_t uuid(std::string_view text) {
  constexpr std::size_t size = 36;
  if (text.size() < size) return 0;
  for (std::size_t i = 0; i < size; ++i) {
    const bool is_dash_place = i == 8 || i == 13 || i == 18 || i == 23;
    if (is_dash_place ? text[i] != '-' : !is_hex(text[i])) return 0;
  }
  return text.size() == size || !is_word(text[size]) ? size : 0;
}

std::size_t prefixed_hex(std::string_view text) {
  if (!text.starts_with("0x") && !text.starts_with("0X")) return 0;
  const std::size_t digits = run(text.substr(2), is_hex);
  return digits == 0 ? 0 : digits + 2;
}

std::size_t hex_word(std::string_view text) {
  const std::size_t digits = run(text, is_hex);
  return digits >= 8 && digits == run(text, is_word) ? digits : 0;
}

std::size_t number(std::string_view text) {
  std::size_t size = run(text, is_digit);
  while (size > 0 && size + 1 < text.size() && (text[size] == '.' || text[size] == ',') &&
         is_digit(text[size + 1])) {
    size += 1 + run(text.substr(size + 1), is_digit);
  }
  return size;
}

std::size_t quoted(std::string_view text) {
  const char quote = text.front();
  if (quote != '"' && quote != '\'' && quote != '`') return 0;
  for (std::size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
    } else if (text[i] == quote && (i + 1 == text.size() || !is_word(text[i + 1]))) {
      return i + 1;
    }
  }
  return 0;
}

std::size_t variable_word(std::string_view text) {
  return std::max({uuid(text), prefixed_hex(text), hex_word(text)});
}

std::string_view first_line(std::string_view message) {
  const auto is_space = [](char c) { return is_blank(c) || c == '\n'; };
  message.remove_prefix(run(message, is_space));
  std::string_view line = message.substr(0, message.find_first_of("\n\r")).substr(0, line_max);
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

}  // namespace

std::string error_pattern(std::string_view message) {
  std::string pattern;
  bool in_word = false;
  for (std::string_view rest = first_line(message); !rest.empty();) {
    const std::size_t varying = in_word ? 0 : variable_word(rest);
    const std::size_t digits = varying > 0 ? varying : number(rest);
    const std::size_t text = in_word ? 0 : quoted(rest);
    const std::size_t blank = run(rest, is_blank);
    const std::size_t used = std::max({digits, text, blank, std::size_t{1}});
    if (digits > 0) {
      pattern += '#';
    } else if (text > 0) {
      pattern += "\"\"";
    } else {
      pattern += blank > 0 ? ' ' : rest.front();
    }
    in_word = is_word(rest[used - 1]);
    rest.remove_prefix(used);
  }
  return pattern;
}

std::uint64_t error_fingerprint(std::string_view job_type, std::string_view code,
                                std::string_view message) {
  std::string text(job_type);
  text.push_back('\0');
  text += code;
  text.push_back('\0');
  text += error_pattern(message);
  return hash64(text);
}

void count_job(GroupJobs& jobs, const Job& job) {
  switch (status_of(job)) {
    case Status::pending:
    case Status::running:
      jobs.retrying += 1;
      break;
    case Status::completed:
      jobs.recovered += 1;
      break;
    case Status::failed:
      jobs.dead += 1;
      break;
    case Status::canceled:
      break;
  }
}

}  // namespace longshore
