#include "longshore/open.h"

#include <string>
#include <utility>

#include "core/profiles.h"
#include "runtime/engine_leases.h"
#include "runtime/node.h"
#include "runtime/os_random.h"
#include "runtime/store_url.h"

namespace longshore {
namespace {

Result<Rules> rules_for(const OpenOptions& options) {
  if (options.rules) return *options.rules;
  if (const auto rules = profile(options.profile)) return *rules;
  std::string message = "there is no profile \"" + options.profile + "\"; there are:";
  for (const std::string_view name : profile_names()) message += " " + std::string(name);
  return Error{Errc::invalid, std::move(message)};
}

}  // namespace

Longshore::Longshore(std::shared_ptr<Node> node) : node_(std::move(node)) {}
Longshore::Longshore(Longshore&&) noexcept = default;
Longshore& Longshore::operator=(Longshore&& other) noexcept {
  if (this != &other) {
    stop();
    node_ = std::move(other.node_);
  }
  return *this;
}
Longshore::~Longshore() { stop(); }

Client Longshore::client() const { return Client(node_); }
std::shared_ptr<Leases> Longshore::leases() const { return std::make_shared<EngineLeases>(node_); }
Catalog& Longshore::catalog() const { return node_->catalog(); }
const Capabilities& Longshore::capabilities() const { return node_->capabilities(); }

void Longshore::stop() {
  if (node_) node_->stop();
}

Result<std::shared_ptr<Node>> make_node(std::string_view url, const OpenOptions& options) {
  if (options.ns.empty()) return Error{Errc::invalid, "the namespace must not be empty"};
  Result<Rules> rules = rules_for(options);
  if (!rules) return rules.error();
  auto time = std::make_shared<SystemTime>();
  Result<std::unique_ptr<Backend>> backend = open_store(url, time->wall(), *rules);
  if (!backend) return backend.error();
  return Node::make({.time = std::move(time),
                     .random = std::make_unique<OsRandom>(),
                     .backend = std::move(*backend),
                     .rules = *rules,
                     .options = options});
}

Result<Longshore> open(std::string_view url, const OpenOptions& options) {
  Result<std::shared_ptr<Node>> node = make_node(url, options);
  if (!node) return node.error();
  if (Result<Nothing> started = (*node)->start(); !started) return started.error();
  return Longshore(std::move(*node));
}

}  // namespace longshore
