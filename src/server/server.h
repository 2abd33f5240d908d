// A server: builds its parts from the settings, owns them, and stops them in the reverse order.
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
  // Opens the store and serves. Errc::invalid for settings that do not fit together, Errc::refused
  // for what would not be safe, and what the store or the socket says otherwise. `log` must
  // outlive the server.
  static Result<std::unique_ptr<Server>> start(const Settings& settings, Log& log);
  ~Server();  // as stop(), without patience
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Not ready any more, accepts nobody, answers what is in flight, lets handlers of its own finish,
  // and closes the store; what takes longer than `longest` is cut off or given back.
  void stop(Duration longest);

  // Reads the TLS files again; logs how that went.
  void reload();

  // A few times a second: tells what went wrong meanwhile, in the log.
  void watch();

  // Set once the store has failed for good.
  std::optional<Error> broken() const { return node_->broken(); }

  const ListenAddress& address() const { return address_; }  // with the port that was found

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
  std::shared_ptr<Incidents> incidents_;  // shared with what it watches
  std::unique_ptr<Api> api_;
  std::unique_ptr<Deliveries> deliveries_;
  std::unique_ptr<Pool> pool_;  // null: handlers run elsewhere
  std::unique_ptr<HttpApplication> limited_;
  std::unique_ptr<HttpServer> http_;
  ListenAddress address_;
  bool secure_ = false;
};

// What the settings say about the store.
Result<OpenOptions> open_options(const Settings& settings);
Configure configuration_of(const Settings& settings, const std::string& ns);

// Why this server must not start, if anything: the store promises less than was asked for.
std::optional<Error> durability_fault(const Capabilities& store, std::string_view accepted);
// The same: others could reach it and need no token, or would send it in the clear.
struct ListenSecurity {
  bool loopback = true;
  bool has_tokens = false;
  bool secure = false;
  bool plaintext_wanted = false;
};
std::optional<Error> listen_fault(const ListenSecurity& exposure, std::string_view address);

}  // namespace longshore
