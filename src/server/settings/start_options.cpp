#include <cstdlib>
#include <utility>

#include "core/text/hash.h"
#include "core/text/names.h"
#include "longshore/id.h"
#include "server/server.h"
#include "server/settings/option.h"
#include "server/settings/rule_options.h"

namespace longshore {
namespace {

char letter_of(Durability durability) {
  switch (durability) {
    case Durability::a:
      return 'A';
    case Durability::b:
      return 'B';
    case Durability::c:
      break;
  }
  return 'C';
}

std::string_view meaning_of(Durability durability) {
  return durability == Durability::b ? "a power failure can lose the last seconds"
                                     : "all jobs are lost when the process ends";
}

Durability accepted_durability(const Settings& settings) {
  const std::string accepted = settings.text("accept-durability");
  return accepted == "A" ? Durability::a : accepted == "B" ? Durability::b : Durability::c;
}

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// $STATE_DIRECTORY of systemd, which may list several folders, else the XDG state folder.
std::string state_folder() {
  if (const auto given = variable("STATE_DIRECTORY"); !given.empty()) {
    return std::string(given.substr(0, given.find(':')));
  }
  if (const auto given = variable("XDG_STATE_HOME"); given.starts_with('/')) {
    return std::string(given) + "/longshore";
  }
  if (const auto home = variable("HOME"); home.starts_with('/')) {
    return std::string(home) + "/.local/state/longshore";
  }
  return "";
}

// The file with the node's identity on a shared store: the option node-file, or by default one file
// per store and node in the state folder. Empty: none.
std::string node_file(const Settings& settings) {
  const std::string given = settings.text("node-file");
  if (given == "none") return "";
  if (!given.empty()) return given;
  const std::string folder = state_folder();
  if (folder.empty()) return "";
  const std::string name = settings.text("node-name");
  const std::string node = name.empty() ? "listen\n" + settings.text("listen") : "name\n" + name;
  const Hash128 hash = hash128(settings.text("store") + "\n" + node);
  return folder + "/node-" + to_hex(hash.high, hash.low);
}

}  // namespace

Result<OpenOptions> open_options(const Settings& settings) {
  Result<Rules> rules = rules_of(settings);
  if (!rules) return rules.error();
  const std::string source = settings.text("rules.source");
  if (const auto fault = queue_fault(source)) {
    return Error{Errc::invalid, "rules.source: " + *fault};
  }
  OpenOptions options{.rules = std::move(*rules),
                      .rules_revision = settings.natural("rules.revision"),
                      .rules_source = source,
                      .node_name = settings.text("node-name"),
                      .node_file = node_file(settings),
                      .accepted = accepted_durability(settings),
                      .recovery = settings.text("recovery") == "on"};
  for (const auto& [name, policy] : settings.queues()) options.queue_policies[name] = policy.layer;
  for (const auto& [name, policy] : settings.types()) options.type_policies[name] = policy.layer;
  return options;
}

Configure configuration_of(const Settings& settings, const std::string& ns) {
  Configure configure;
  const auto has_limits = [](const NamedPolicy& policy) {
    return policy.max_running || policy.keep_success || policy.keep_canceled || policy.keep_dead;
  };
  for (const auto& [name, policy] : settings.queues()) {
    if (!has_limits(policy)) continue;
    configure.queues.push_back({.ns = ns,
                                .queue = name,
                                .max_running = policy.max_running,
                                .keep_success = policy.keep_success,
                                .keep_canceled = policy.keep_canceled,
                                .keep_dead = policy.keep_dead});
  }
  for (const auto& [name, policy] : settings.types()) {
    if (!has_limits(policy)) continue;
    configure.types.push_back({.ns = ns,
                               .type = name,
                               .max_running = policy.max_running,
                               .keep_success = policy.keep_success,
                               .keep_canceled = policy.keep_canceled,
                               .keep_dead = policy.keep_dead});
  }
  return configure;
}

std::optional<Error> durability_fault(const Capabilities& store, std::string_view accepted) {
  const char given = letter_of(store.durability);
  if (accepted.empty() || given <= accepted.front()) return std::nullopt;
  return Error{Errc::refused, "the " + store.name + " store has durability class " + given + ": " +
                                  std::string(meaning_of(store.durability)) +
                                  "; to accept this, set --accept-durability=" + given};
}

std::optional<Error> listen_fault(const ListenSecurity& security, std::string_view address) {
  if (security.loopback) return std::nullopt;
  const std::string where(address);
  if (!security.has_tokens) {
    return Error{Errc::refused,
                 where +
                     " can be reached from other machines, but no token exists; create one with "
                     "`longshore token create --role admin`, or listen on 127.0.0.1"};
  }
  if (security.secure || security.plaintext_wanted) return std::nullopt;
  return Error{Errc::refused,
               where +
                   " can be reached from other machines, but TLS is not set up; set --tls-cert "
                   "and --tls-key, or --allow-plaintext if a proxy or tunnel encrypts the traffic"};
}

}  // namespace longshore
