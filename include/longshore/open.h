// open() starts a node on a store in this process: it recovers jobs of an earlier process,
// promotes, reaps and prunes, and commits the commands of clients and workers. With a server's URL
// it connects to the server, and clients and workers use the server's store.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "longshore/client.h"
#include "longshore/error.h"
#include "longshore/leases.h"
#include "longshore/policy.h"
#include "longshore/rules.h"
#include "longshore/store.h"

namespace longshore {

class JobService;  // a node in this process or a server; shared with clients and leases

struct OpenOptions {
  std::string profile = "native";   // the rules of a new store; see rules.h
  std::optional<Rules> rules = {};  // instead of a profile
  // If higher than the store's revision of this source, these rules replace the store's, except
  // those that its profile fixes.
  std::int64_t rules_revision = 0;
  std::string rules_source = "default";
  std::string ns = "default";  // the namespace of all commands of this object
  // Shown to operators; empty: the host name. On a shared store, a node with a name keeps its
  // identity across restarts and recovers the jobs that its workers held. If a live node already
  // has the name, this node gets a new identity.
  std::string node_name = {};
  // A file whose lock proves after a restart that the previous process has ended, and which keeps
  // the identity of a node without a name. Created if necessary. Empty: none. For shared stores
  // only.
  std::string node_file = {};
  // The weakest durability at which commits are acknowledged, also if the database's configuration
  // changes later; below it they fail with Errc::unavailable. None: class A for PostgreSQL, the
  // durability at opening for Redis, or the URL's option durability=.
  std::optional<Durability> accepted = {};
  bool recovery = true;  // reap the jobs of workers that stopped sending heartbeats
  // Defaults for the jobs of a queue or a type.
  std::map<std::string, PolicyLayer> queue_policies = {};
  std::map<std::string, PolicyLayer> type_policies = {};

  // For a server's URL. The server and the token determine rules, policies and namespace, so
  // setting those options is Errc::invalid; node_name is the default name of workers.
  std::string token = {};    // sent with every request; empty: none
  std::string ca_file = {};  // PEM file of the trusted CAs for https; empty: the system's
  Duration retry_for = Duration::seconds(10);  // how long a call is retried without an answer
};

// One open store, or one server. Safe to share between threads; stops when it is destroyed.
class Longshore {
 public:
  explicit Longshore(std::shared_ptr<JobService> service);  // used by open()
  Longshore(Longshore&&) noexcept;
  Longshore& operator=(Longshore&&) noexcept;
  ~Longshore();

  // Both may outlive this object; calls then fail.
  Client client() const;
  std::shared_ptr<Leases> leases() const;

  // The read-only interface. Valid as long as this object. A server's catalog supports get, glance,
  // find_by_key, list and logs, in the token's namespace (or an empty one); its other calls are
  // Errc::refused, because the HTTP API has routes for them.
  Catalog& catalog() const;
  // For a server: its durability, `shared`, and the name "server".
  const Capabilities& capabilities() const;

  // Grants no more leases, commits what was submitted so far, and ends the threads. Later calls are
  // refused. Idempotent. Stop workers first, or their outcomes are lost. The store's file is
  // released once this object, its clients and its workers are destroyed. For a server this only
  // closes the connection.
  void stop();

 private:
  std::shared_ptr<JobService> service_;
};

// Opens "sqlite:PATH" or "postgres://...", creating the file or schema if necessary, "redis://..."
// (also rediss, redis+cluster, rediss+cluster), or "memory:", which is not stored. Errc::invalid
// for other URLs or profiles, and the store's error if it cannot be opened.
//
// "http://HOST:PORT" and "https://HOST:PORT" are servers: the call checks the server and the token.
// Errc::unavailable if the server cannot be reached within `retry_for`, Errc::invalid if it is not
// a Longshore server, Errc::refused with Code::unauthenticated if the token is unknown.
Result<Longshore> open(std::string_view url, const OpenOptions& options = {});

}  // namespace longshore
