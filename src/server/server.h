// Builds the components of a server from the settings, and stops them in reverse order.
#pragma once

#include <memory>
#include <optional>

#include "api/api.h"
#include "http/server.h"
#include "longshore/error.h"
#include "runtime/node/node.h"
#include "server/handlers/deliveries.h"
#include "server/handlers/pool.h"
#include "server/report/incidents.h"
#include "server/report/log.h"
#include "server/settings/listen_address.h"
#include "server/settings/settings.h"

namespace longshore {

// Call from one thread.
class Server {
 public:
  // Opens the store and starts to serve. Errc::invalid for contradictory settings, Errc::refused
  // for unsafe ones, or the error of the store or the socket. `log` must outlive the server.
  static Result<std::unique_ptr<Server>> start(const Settings& settings, Log& log);
  ~Server();  // stops without waiting
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Reports not ready, stops accepting connections, completes requests in flight and running
  // handlers, and closes the store. After `longest`, closes connections and releases jobs.
  void stop(Duration longest);

  // Reloads the TLS files and logs the result.
  void reload();

  // Call a few times a second: reports incidents in the log.
  void watch();

  // Set once the store has failed permanently.
  std::optional<Error> broken() const { return node_->broken(); }

  const ListenAddress& address() const { return address_; }  // with the actual port

 private:
  explicit Server(Log& log) : log_(log) {}
  Result<Nothing> open(const Settings& settings);
  Result<Nothing> serve(const Settings& settings);
  void watch_store(const Settings& settings);
  void log_rule_conflicts();
  std::string own_url() const;

  // Declared in the order in which they start.
  Log& log_;
  std::shared_ptr<Node> node_;
  std::shared_ptr<Incidents> incidents_;  // shared with the components that it observes
  std::unique_ptr<Api> api_;
  std::unique_ptr<Deliveries> deliveries_;
  std::unique_ptr<Pool> pool_;  // null: no handlers in this process
  std::unique_ptr<HttpApplication> limited_;
  std::unique_ptr<HttpServer> http_;
  ListenAddress address_;
  bool secure_ = false;
};

// Settings of the store.
Result<OpenOptions> open_options(const Settings& settings);
Configure configuration_of(const Settings& settings, const std::string& ns);

// An error if the durability of the store is below `accepted`: the server must not start.
std::optional<Error> durability_fault(const Capabilities& store, std::string_view accepted);
// An error if the server could be reached from other machines without tokens or without encryption.
struct ListenSecurity {
  bool loopback = true;
  bool has_tokens = false;
  bool secure = false;
  bool plaintext_wanted = false;
};
std::optional<Error> listen_fault(const ListenSecurity& exposure, std::string_view address);

}  // namespace longshore
