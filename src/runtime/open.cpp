#include "longshore/open.h"

#include <string>
#include <utility>

#include "core/policy/profiles.h"
#include "runtime/node/node_service.h"
#include "runtime/os_random.h"
#include "runtime/store_url.h"
#ifdef LONGSHORE_REMOTE
#include "client/server/server_service.h"
#endif

namespace longshore {
namespace {

Result<Rules> rules_for(const OpenOptions& options) {
  if (options.rules) return *options.rules;
  if (const auto rules = profile(options.profile)) return *rules;
  std::string message = "unknown profile \"" + options.profile + "\"; use one of:";
  for (const std::string_view name : profile_names()) message += " " + std::string(name);
  return Error{Errc::invalid, std::move(message)};
}

bool is_server(std::string_view url) {
  return url.starts_with("http://") || url.starts_with("https://");
}

Result<std::shared_ptr<JobService>> reach_server(std::string_view url,
                                                 [[maybe_unused]] const OpenOptions& options) {
#ifdef LONGSHORE_REMOTE
  return open_server(url, options,
                     [] { return std::unique_ptr<Random>(std::make_unique<OsRandom>()); });
#else
  return Error{Errc::invalid,
               std::string(url) +
                   " is the URL of a server, and this build of Longshore has no client; "
                   "build it with LONGSHORE_REMOTE"};
#endif
}

}  // namespace

Longshore::Longshore(std::shared_ptr<JobService> service) : service_(std::move(service)) {}
Longshore::Longshore(Longshore&&) noexcept = default;
Longshore& Longshore::operator=(Longshore&& other) noexcept {
  if (this != &other) {
    stop();
    service_ = std::move(other.service_);
  }
  return *this;
}
Longshore::~Longshore() { stop(); }

Client Longshore::client() const { return Client(service_); }
std::shared_ptr<Leases> Longshore::leases() const { return service_->leases(); }
Catalog& Longshore::catalog() const { return service_->catalog(); }
const Capabilities& Longshore::capabilities() const { return service_->capabilities(); }

void Longshore::stop() {
  if (service_) service_->stop();
}

Result<std::shared_ptr<Node>> make_node(std::string_view url, const OpenOptions& options) {
  if (options.ns.empty()) return Error{Errc::invalid, "the namespace must not be empty"};
  Result<Rules> rules = rules_for(options);
  if (!rules) return rules.error();
  auto time = std::make_shared<SystemTime>();
  Result<std::unique_ptr<Backend>> backend =
      open_store(url, time->wall(), *rules, options.accepted);
  if (!backend) return backend.error();
  return Node::make({.time = std::move(time),
                     .random = std::make_unique<OsRandom>(),
                     .backend = std::move(*backend),
                     .rules = *rules,
                     .options = options});
}

Result<Longshore> open(std::string_view url, const OpenOptions& options) {
  if (is_server(url)) {
    Result<std::shared_ptr<JobService>> service = reach_server(url, options);
    if (!service) return service.error();
    return Longshore(std::move(*service));
  }
  Result<std::shared_ptr<Node>> node = make_node(url, options);
  if (!node) return node.error();
  if (Result<Nothing> started = (*node)->start(); !started) return started.error();
  return Longshore(std::make_shared<NodeService>(std::move(*node)));
}

}  // namespace longshore
