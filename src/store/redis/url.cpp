#include "store/redis/url.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace longshore::redis {
namespace {

Error invalid(std::string message) {
  return {.code = Errc::invalid, .message = std::move(message)};
}

std::pair<std::string_view, std::string_view> cut(std::string_view text, char at) {
  const std::size_t place = text.find(at);
  if (place == std::string_view::npos) return {text, {}};
  return {text.substr(0, place), text.substr(place + 1)};
}

std::optional<int> number(std::string_view text, int least, int most) {
  int value = 0;
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, value);
  const bool good = read.ec == std::errc() && read.ptr == end && !text.empty();
  if (!good || value < least || value > most) return std::nullopt;
  return value;
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// A password may hold any character, written %40 where it would end a part of the URL.
std::optional<std::string> decoded(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      plain += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[i + 1]);
    const int low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    plain += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return plain;
}

std::optional<Address> parse_address(std::string_view text) {
  Address address;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    address.host = text.substr(1, end - 1);
    text.remove_prefix(end + 1);
  } else {
    address.host = text.substr(0, text.find(':'));
    text.remove_prefix(address.host.size());
  }
  if (address.host.empty()) return std::nullopt;
  if (text.empty()) return address;
  const auto port = number(text.substr(1), 1, 65535);
  if (text.front() != ':' || !port) return std::nullopt;
  address.port = *port;
  return address;
}

struct Scheme {
  std::string_view name;
  bool tls;
  bool cluster;
};
constexpr Scheme schemes[] = {{"redis", false, false},
                              {"rediss", true, false},
                              {"redis+cluster", false, true},
                              {"rediss+cluster", true, true}};

std::string take_user(std::string_view words, Url& url) {
  const auto [user, password] = cut(words, ':');
  const auto plain_user = decoded(user);
  const auto plain_password = decoded(password);
  if (!plain_user || !plain_password) return "the user or the password has a % without two digits";
  url.user = *plain_user;
  url.password = *plain_password;
  return {};
}

std::string take_hosts(std::string_view hosts, Url& url) {
  while (!hosts.empty()) {
    const auto [host, more] = cut(hosts, ',');
    hosts = more;
    const auto address = parse_address(host);
    if (!address) return "a host is written like host:6379";
    url.hosts.push_back(*address);
  }
  if (url.hosts.empty()) return "a host is missing";
  if (!url.cluster && url.hosts.size() > 1) return "several hosts are for redis+cluster://";
  return {};
}

std::string take_database(std::string_view path, Url& url) {
  if (path.empty()) return {};
  const auto database = number(path, 0, 999'999);
  if (!database) return "the path is the number of a database";
  if (url.cluster && *database != 0) return "a cluster has no database but 0";
  url.database = *database;
  return {};
}

bool is_prefix(std::string_view text) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  };
  return !text.empty() && text.size() <= 63 && std::ranges::all_of(text, fits);
}

std::string take_count(std::string_view name, std::string_view value, int least, int most,
                       const auto& take) {
  const auto count = number(value, least, most);
  if (count) take(*count);
  if (count) return {};
  return std::string(name) + " takes a number from " + std::to_string(least) + " to " +
         std::to_string(most);
}

// As redis.conf writes an amount of memory: 1000000, 64kb, 512mb, 8gb.
std::optional<std::int64_t> amount(std::string_view text) {
  constexpr std::int64_t most = std::int64_t{1} << 50;
  std::int64_t unit = 1;
  for (const std::string_view suffix : {"kb", "mb", "gb"}) {
    unit *= 1024;
    if (!text.ends_with(suffix)) continue;
    text.remove_suffix(suffix.size());
    const auto count = number(text, 1, 1'000'000);
    return count ? std::optional(*count * unit) : std::nullopt;
  }
  std::int64_t bytes = 0;
  const auto end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, bytes);
  if (read.ec != std::errc() || read.ptr != end || bytes < 1 || bytes > most) return std::nullopt;
  return bytes;
}

std::string take_path(std::string_view name, std::string_view value, std::string& path) {
  const auto plain = decoded(value);
  if (!plain || plain->empty()) return std::string(name) + " takes the path of a file";
  path = *plain;
  return {};
}

std::string take_option(std::string_view name, std::string_view value, Url& url) {
  const auto seconds = [](Duration& into) {
    return [&into](int count) { into = Duration::seconds(count); };
  };
  if (name == "lanes") return take_count(name, value, 1, 64, [&](int n) { url.lanes = n; });
  if (name == "timeout") return take_count(name, value, 1, 300, seconds(url.timeout));
  if (name == "patience") return take_count(name, value, 1, 300, seconds(url.patience));
  if (name == "replicas") return take_count(name, value, 0, 9, [&](int n) { url.replicas = n; });
  if (name == "keep_jobs") {
    return take_count(name, value, 1, 1'000'000'000, [&](int n) { url.keep_jobs = n; });
  }
  if (name == "keep_bytes") {
    url.keep_bytes = amount(value);
    return url.keep_bytes ? "" : "keep_bytes takes an amount like 1000000, 64kb, 512mb or 8gb";
  }
  if (name == "ca") return take_path(name, value, url.ca_file);
  if (name == "cert") return take_path(name, value, url.certificate_file);
  if (name == "key") return take_path(name, value, url.key_file);
  if (name == "prefix") {
    url.prefix = value;
    return is_prefix(value) ? "" : "prefix takes lower-case letters, digits, _ and -";
  }
  if (name == "durability") {
    if (value != "A" && value != "B" && value != "C") return "durability takes A, B or C";
    url.accepted = value == "A" ? Durability::a : value == "B" ? Durability::b : Durability::c;
    return {};
  }
  // Not repeated: it may be the end of a password that holds a question mark.
  return "an option is none of lanes, timeout, patience, replicas, durability, keep_jobs, "
         "keep_bytes, prefix, ca, cert, key";
}

std::string take_options(std::string_view query, Url& url) {
  while (!query.empty()) {
    const auto [option, more] = cut(query, '&');
    query = more;
    const auto [name, value] = cut(option, '=');
    if (std::string fault = take_option(name, value, url); !fault.empty()) return fault;
  }
  const bool both = url.certificate_file.empty() == url.key_file.empty();
  return both ? "" : "cert and key go together";
}

}  // namespace

std::string to_text(const Address& address) {
  const bool bracketed = address.host.find(':') != std::string::npos;
  const std::string host = bracketed ? "[" + address.host + "]" : address.host;
  return host + ":" + std::to_string(address.port);
}

Result<Url> parse_url(std::string_view text) {
  const std::size_t colon = text.find("://");
  const auto* scheme = std::ranges::find(schemes, text.substr(0, std::min(colon, text.size())),
                                         [](const Scheme& s) { return s.name; });
  if (colon == std::string_view::npos || scheme == std::end(schemes)) {
    return invalid("a Redis store is named like redis://user:password@host:6379/0");
  }
  Url url{.tls = scheme->tls, .cluster = scheme->cluster};
  const auto [before, query] = cut(text.substr(colon + 3), '?');
  std::string_view place = before;
  std::string fault;
  if (const std::size_t at = place.rfind('@'); at != std::string_view::npos) {
    fault = take_user(place.substr(0, at), url);
    place.remove_prefix(at + 1);
  }
  const auto [hosts, database] = cut(place, '/');
  url.shown = std::string(scheme->name) + "://" + std::string(place);
  if (fault.empty()) fault = take_hosts(hosts, url);
  if (fault.empty()) fault = take_database(database, url);
  if (fault.empty()) fault = take_options(query, url);
  if (fault.empty()) return url;
  // Where the parts are not where they should be, so may the password be.
  return invalid(std::string(scheme->name) + "://...: " + fault);
}

}  // namespace longshore::redis
