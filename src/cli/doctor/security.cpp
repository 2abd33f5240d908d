// Checks for unsafe settings.
#include <unistd.h>

#include <algorithm>

#include "cli/client/server_calls.h"
#include "cli/doctor/diagnosis.h"
#include "core/net/ip_address.h"
#include "server/settings/listen_address.h"

namespace longshore {
namespace {

using Level = Diagnosis::Level;

// The prefix length of IPv4-mapped IPv6 addresses.
constexpr int ipv4_bits = 96;

Diagnosis unsafe(Level level, std::string what, std::string advice) {
  return {level, "security", std::move(what), std::move(advice)};
}

bool is_shared(const std::string& store) {
  return store.starts_with("postgres") || store.starts_with("redis");
}

bool listens_off_loopback(const Settings& settings) {
  const Result<ListenAddress> address = parse_listen_address(settings.text("listen"));
  return address && !address->is_loopback();
}

bool is_behind_proxy(const Settings& settings) {
  return !settings.list("trusted-proxies").empty() || !settings.text("base-url").empty();
}

// Whether the option exists and has a value.
bool is_set(const Settings& settings, std::string_view name) {
  return std::ranges::any_of(settings.all(), [&](const Setting& one) {
    return one.option->name == name && !one.values.empty() && !one.values.front().empty();
  });
}

void examine_token_key(const Settings& settings, Diagnoses& found) {
  if (!is_shared(settings.text("store")) || !settings.text("token-key").empty()) return;
  found.push_back(unsafe(
      Level::warning,
      "no token-key on a store that several nodes share: dashboard sessions are valid on one node "
      "only, and anyone who can read the store can test guesses of tokens",
      "set token-key to the same value on every node, in a file or a variable that other users "
      "cannot "
      "read"));
}

void examine_required_tokens(const Settings& settings, Diagnoses& found) {
  const bool outside = listens_off_loopback(settings);
  if (settings.boolean("require-tokens") || (!outside && !is_behind_proxy(settings))) return;
  found.push_back(
      unsafe(Level::warning,
             std::string("require-tokens is not set, and the server ") +
                 (outside ? "listens beyond loopback" : "is behind a proxy") +
                 ": a new node on an empty store would start without tokens and give every client "
                 "the role admin",
             "set require-tokens = true and create the first token with `longshore token create`"));
}

void examine_encryption(const Settings& settings, Diagnoses& found) {
  if (!listens_off_loopback(settings) || !settings.text("tls-cert").empty()) return;
  const bool wanted = settings.boolean("allow-plaintext");
  found.push_back(unsafe(
      wanted ? Level::warning : Level::problem,
      "listening on " + settings.text("listen") +
          " without TLS: tokens and payloads can be read and changed in transit",
      wanted ? "make sure that a proxy or tunnel encrypts the traffic, or set tls-cert and tls-key"
             : "set tls-cert and tls-key; `serve` does not start without them"));
}

void examine_proxies(const Settings& settings, Diagnoses& found) {
  for (const std::string& text : settings.list("trusted-proxies")) {
    const auto network = parse_network(text);
    if (!network || !is_wide(*network)) continue;
    found.push_back(unsafe(Level::problem,
                           "trusted-proxies has " + text +
                               ", which is too large: every client in it can claim any address and "
                               "evade the rate limit for invalid tokens",
                           "list only the addresses of the proxies"));
  }
}

void examine_secrets(const Settings& settings, Diagnoses& found) {
  for (const std::string& secret : settings.list("secrets")) {
    const std::string name = secret.substr(0, secret.find('='));
    found.push_back(unsafe(Level::warning,
                           "the secret " + name +
                               " is not bound to a namespace and URLs: every namespace can use it "
                               "to sign requests to any URL",
                           "write it as [secrets." + name + "] with file, namespace and urls"));
  }
}

bool runs_programs(const Settings& settings) {
  return !settings.list("exec").empty() ||
         std::ranges::any_of(settings.handlers(),
                             [](const auto& one) { return !one.second.program.empty(); });
}

void examine_programs(const Settings& settings, Diagnoses& found) {
  if (::geteuid() != 0 || !runs_programs(settings) || is_set(settings, "programs.user")) return;
  found.push_back(
      unsafe(Level::warning,
             "handler programs run as root: a bug in one of them can compromise the whole "
             "machine",
             "set programs.user to a separate user, or do not run the worker as root"));
}

bool has_password(const Setting& setting) {
  return std::ranges::any_of(setting.values, [&](const std::string& value) {
    return !value.empty() && (setting.option->secret || without_password(value) != value);
  });
}

void examine_arguments(const Settings& settings, Diagnoses& found) {
  for (const Setting& setting : settings.all()) {
    if (!setting.source.starts_with("--") || !has_password(setting)) continue;
    found.push_back(unsafe(
        Level::warning,
        setting.source +
            " has a secret on the command line: it stays in the shell history, in unit "
            "files and in logs",
        "set it in " + variable_of(*setting.option) + ", or in a longshore.toml with mode 0600"));
  }
}

}  // namespace

bool is_wide(const IpNetwork& network) {
  const bool v4 = is_ipv4(network.address);
  const int bits = v4 ? network.bits - ipv4_bits : network.bits;
  if (bits < (v4 ? 8 : 7)) return true;
  return is_public(network.address) && bits < (v4 ? 24 : 48);
}

void examine_security(const Settings& settings, Diagnoses& found) {
  const std::size_t before = found.size();
  examine_token_key(settings, found);
  examine_required_tokens(settings, found);
  examine_encryption(settings, found);
  examine_proxies(settings, found);
  examine_secrets(settings, found);
  examine_programs(settings, found);
  examine_arguments(settings, found);
  examine_files(settings, found);
  if (found.size() == before) {
    found.push_back({Level::good, "security", "no unsafe settings found"});
  }
}

void examine_token_requirement(HttpClient& client, const Settings& settings, Diagnoses& found) {
  if (!listens_off_loopback(settings) && !is_behind_proxy(settings)) return;
  const Result<HttpReply> about = call_api(client, {.path = "/about"});
  if (!about || about->body.find("\"hasToken\":false") == std::string::npos) return;
  found.push_back(
      unsafe(Level::problem,
             "the server has no tokens, but other machines can reach it: a client "
             "that appears to be local has the role admin",
             "run `longshore token create --role admin` and set require-tokens = true"));
}

}  // namespace longshore
