#include "store/postgres/connection/url.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

namespace longshore::postgres {
namespace {

Error invalid(std::string message) {
  return {.code = Errc::invalid, .message = std::move(message)};
}

std::pair<std::string_view, std::string_view> cut(std::string_view text, char at) {
  const std::size_t place = text.find(at);
  if (place == std::string_view::npos) return {text, {}};
  return {text.substr(0, place), text.substr(place + 1)};
}

// A schema's name is written into SQL, so only what needs no thought is taken.
bool is_schema(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  };
  return !name.empty() && name.size() <= 63 && std::ranges::all_of(name, fits) &&
         !(name.front() >= '0' && name.front() <= '9') && !name.starts_with("pg_");
}

std::optional<bool> parse_switch(std::string_view value) {
  if (value == "on") return true;
  if (value == "off") return false;
  return std::nullopt;
}

// True if the option was Longshore's; then `fault` may say what is wrong with it.
bool take_option(std::string_view name, std::string_view value, Target& target,
                 std::string& fault) {
  if (name == "schema") {
    target.schema = value;
    if (!is_schema(value)) fault = "schema takes lower-case letters, digits and _";
  } else if (name == "lanes") {
    const auto end = value.data() + value.size();
    const auto read = std::from_chars(value.data(), end, target.lanes);
    const bool good = read.ec == std::errc() && read.ptr == end;
    if (!good || target.lanes < 2 || target.lanes > 64) fault = "lanes takes a number from 2 to 64";
  } else if (name == "prepare" || name == "listen") {
    const auto wanted = parse_switch(value);
    if (!wanted) fault = std::string(name) + " takes on or off";
    (name == "prepare" ? target.prepare : target.listen) = wanted.value_or(true);
  } else if (name == "durability") {
    if (value != "A" && value != "B" && value != "C") fault = "durability takes A, B or C";
    target.accepted = value == "A" ? Durability::a : value == "B" ? Durability::b : Durability::c;
  } else {
    return false;
  }
  return true;
}

// Hosts and the database, without user and password.
std::string for_people(std::string_view scheme, std::string_view place) {
  const std::size_t at = place.rfind('@');
  if (at != std::string_view::npos) place.remove_prefix(at + 1);
  return std::string(scheme) + "://" + std::string(place);
}

}  // namespace

Result<Target> parse_url(std::string_view url) {
  const std::size_t colon = url.find("://");
  const std::string_view scheme = url.substr(0, std::min(colon, url.size()));
  if (colon == std::string_view::npos || (scheme != "postgres" && scheme != "postgresql")) {
    return invalid("a PostgreSQL store is named like postgres://user@host/database");
  }
  const auto [place, query] = cut(url.substr(colon + 3), '?');
  Target target{.shown = for_people(scheme, place)};
  std::string kept;
  std::string_view rest = query;
  while (!rest.empty()) {
    const auto [option, more] = cut(rest, '&');
    rest = more;
    const auto [name, value] = cut(option, '=');
    std::string fault;
    if (take_option(name, value, target, fault)) {
      if (!fault.empty()) return invalid(target.shown + ": " + fault);
      continue;
    }
    kept += (kept.empty() ? "?" : "&") + std::string(option);
  }
  target.conninfo = std::string(scheme) + "://" + std::string(place) + kept;
  return target;
}

}  // namespace longshore::postgres
