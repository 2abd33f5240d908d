#include "api/wire/query.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

#include "core/text/time_text.h"
#include "core/text/utf8.h"

namespace longshore {
namespace {

// Decimal only: no plus sign, no hexadecimal, no words.
template <class Number>
std::optional<Number> parsed(const std::string& text) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, value);
  if (text.empty() || fault != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

Query::Query(const Call& call) : call_(call), asked_(call.query.size(), false) {}

std::optional<std::string> Query::text(std::string_view name, TextFault fault) {
  std::optional<std::string> found;
  for (std::size_t i = 0; i < call_.query.size(); ++i) {
    if (call_.query[i].first != name) continue;
    asked_[i] = true;
    if (found) invalid(name, "must be given once");
    found = call_.query[i].second;
  }
  if (found && !utf8_length(*found)) {
    invalid(name, "must be UTF-8");
    return std::nullopt;
  }
  if (!found || fault == nullptr) return found;
  if (auto wrong = fault(*found)) {
    invalid(name, std::move(*wrong));
    return std::nullopt;
  }
  return found;
}

std::optional<bool> Query::boolean(std::string_view name) {
  const std::optional<std::string> found = text(name);
  if (!found) return std::nullopt;
  if (*found == "true") return true;
  if (*found == "false") return false;
  invalid(name, "must be true or false");
  return std::nullopt;
}

std::optional<std::int64_t> Query::integer(std::string_view name, std::int64_t least,
                                           std::int64_t most) {
  const std::optional<std::string> found = text(name);
  if (!found) return std::nullopt;
  const auto value = parsed<std::int64_t>(*found);
  if (value && *value >= least && *value <= most) return value;
  invalid(name, fmt::format("must be a whole number from {} to {}", least, most));
  return std::nullopt;
}

std::optional<double> Query::number(std::string_view name, double least, double most) {
  const std::optional<std::string> found = text(name);
  if (!found) return std::nullopt;
  const auto value = parsed<double>(*found);
  if (value && std::isfinite(*value) && *value >= least && *value <= most) return value;
  invalid(name, fmt::format("must be a number from {} to {}", least, most));
  return std::nullopt;
}

std::optional<Instant> Query::time(std::string_view name) {
  std::optional<std::string> found = text(name);
  if (!found) return std::nullopt;
  if (const std::size_t space = found->rfind(' '); space != std::string::npos && space > 10) {
    (*found)[space] = '+';
  }
  const std::optional<Instant> at = parse_time(*found);
  if (!at) invalid(name, "must be an RFC 3339 time, such as 2026-11-15T02:22:00.123Z");
  return at;
}

void Query::invalid(std::string_view name, std::string detail) {
  faults_.invalid(std::string(name), std::move(detail));
}

std::optional<Problem> Query::problem() {
  for (std::size_t i = 0; i < call_.query.size(); ++i) {
    if (!asked_[i]) faults_.unknown(call_.query[i].first);
  }
  if (!faults_.any()) return std::nullopt;
  return faults_.problem();
}

int read_page_limit(Query& query, int otherwise) {
  return static_cast<int>(query.integer("limit", 1, page_limit_max).value_or(otherwise));
}

}  // namespace longshore
