#include "server/option.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include "server/duration_text.h"

namespace longshore {
namespace {

using Kind = Option::Kind;

constexpr std::int64_t mebibyte = 1024 * 1024;

const std::vector<Option>& table() {
  static const std::vector<Option> options = {
      // ---- Where jobs are kept, and how they are judged
      {.name = "store",
       .fallback = "sqlite:longshore.db",
       .help = "where jobs are kept: sqlite:PATH, memory:"},
      {.name = "profile",
       .kind = Kind::choice,
       .fallback = "native",
       .help = "the rules jobs live by; a store keeps those it was made with",
       .words = {"native", "basic", "endpoints", "scheduler", "external", "orchestrator"}},
      {.name = "accept-durability",
       .kind = Kind::choice,
       .fallback = "A",
       .help = "the weakest durability class you accept of the store",
       .words = {"A", "B", "C"}},
      {.name = "idempotency.mismatch",
       .kind = Kind::choice,
       .fallback = "accept",
       .help = "what a known idempotency key with another body gets",
       .words = {"accept", "reject"}},
      {.name = "node-name", .help = "what operators see this node as; empty: the host's name"},
      // ---- The server
      {.name = "listen", .fallback = "127.0.0.1:7788", .help = "address and port to serve on"},
      {.name = "base-url", .help = "how clients reach the server, where a proxy changes that"},
      {.name = "tls-cert", .help = "file of the certificate chain, PEM; SIGHUP reads it again"},
      {.name = "tls-key", .help = "file of the certificate's private key, PEM"},
      {.name = "allow-plaintext",
       .kind = Kind::boolean,
       .fallback = "false",
       .help = "serve without TLS on an address that others can reach"},
      {.name = "token-key",
       .help = "secret under which tokens are hashed; the same on every node",
       .secret = true},
      {.name = "io-threads",
       .kind = Kind::natural,
       .fallback = "0",
       .help = "threads that read and write sockets; 0: as many as processors, at most 4",
       .most = 256},
      {.name = "limits.connections",
       .kind = Kind::natural,
       .fallback = "20000",
       .help = "connections at once",
       .least = 1,
       .most = 1'000'000},
      {.name = "limits.body-bytes",
       .kind = Kind::natural,
       .fallback = "2097152",
       .help = "largest body of a request",
       .least = 1024,
       .most = 2 * mebibyte},
      {.name = "limits.batch-bytes",
       .kind = Kind::natural,
       .fallback = "16777216",
       .help = "largest body of a batch or a settlement of many",
       .least = 1024,
       .most = 16 * mebibyte},
      {.name = "limits.header-time",
       .kind = Kind::duration,
       .fallback = "10s",
       .help = "how long the headers of a request may take"},
      {.name = "limits.body-time",
       .kind = Kind::duration,
       .fallback = "30s",
       .help = "how long the body of a request may take"},
      {.name = "limits.idle-time",
       .kind = Kind::duration,
       .fallback = "75s",
       .help = "how long a connection may stay open without a request"},
      {.name = "log-format",
       .kind = Kind::choice,
       .fallback = "human",
       .help = "how log lines are written",
       .words = {"human", "json"}},
      {.name = "log-level",
       .kind = Kind::choice,
       .fallback = "info",
       .help = "the least serious line that is logged",
       .words = {"debug", "info", "warn", "error"}},
      // ---- Whoever talks to a server
      {.name = "server", .fallback = "http://127.0.0.1:7788", .help = "the server to talk to"},
      {.name = "token", .help = "what proves who you are to the server", .secret = true},
      {.name = "ca-cert", .help = "file of certificates to trust instead of the system's, PEM"},
      {.name = "json", .kind = Kind::boolean, .fallback = "false", .help = "print for machines"},
      // ---- A worker
      {.name = "queue",
       .kind = Kind::list,
       .fallback = "default",
       .help = "queues to take jobs from, in this order"},
      {.name = "concurrency",
       .kind = Kind::natural,
       .fallback = "0",
       .help = "jobs at once; 0: the number of processors",
       .most = 10'000},
      {.name = "exec", .kind = Kind::list, .help = "TYPE=PROGRAM: run a program for such jobs"},
      {.name = "worker-name", .help = "what operators see this worker as; empty: host and process"},
      {.name = "lease-time",
       .kind = Kind::duration,
       .fallback = "30s",
       .help = "how long a job stays with a worker that is not heard of"},
      {.name = "grace",
       .kind = Kind::duration,
       .fallback = "25s",
       .help = "what running jobs get to finish in when the worker is stopped"},
  };
  return options;
}

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

}  // namespace

std::span<const Option> all_options() { return table(); }

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
  for (const Option& option : table()) {
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
