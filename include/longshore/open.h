// open() makes a store ready for work in this process: it recovers what an earlier process left
// behind, promotes, reaps and prunes, and commits what clients and workers say. Of a server's URL
// it makes a connection: the same clients and workers then use that server's store across the
// network.
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
  std::string profile = "native";   // which rules; a store keeps its own, see rules.h
  std::optional<Rules> rules = {};  // instead of a profile
  // Above the revision that the store knows of this source, the rules asked for replace the store's
  // as far as its profile does not fix them.
  std::int64_t rules_revision = 0;
  std::string rules_source = "default";
  std::string ns = "default";  // the namespace of everything said through this object
  // Shown to operators; empty: the host's name. On a store that several processes share, a node
  // that is given a name keeps its identity across restarts, and takes back the jobs that its own
  // workers held when it died. A name that a live node has is shared in words alone.
  std::string node_name = {};
  // A file that proves at a restart that the node before has ended, and keeps the identity of a
  // node without a name; made if need be. Empty: none. For shared stores alone.
  std::string node_file = {};
  // The weakest durability with which commits are acknowledged, also if the store's server is
  // changed while it is open. None: of PostgreSQL class A, of Redis what it promises when opened,
  // or what the URL says (durability=). Less is answered Errc::unavailable.
  std::optional<Durability> accepted = {};
  bool recovery = true;  // reclaims the jobs of workers that stopped sending heartbeats
  // What holds for every job of a queue or a type that does not say otherwise itself.
  std::map<std::string, PolicyLayer> queue_policies = {};
  std::map<std::string, PolicyLayer> type_policies = {};

  // For a server's URL. Its rules, policies and namespace are the server's and the token's, so
  // whichever of the above is set to something else is Errc::invalid; node_name is the name of
  // workers that give none.
  std::string token = {};    // sent with every request; empty: none
  std::string ca_file = {};  // PEM, of the authorities to trust for https; empty: the system's
  Duration retry_for = Duration::seconds(10);  // how long a call is repeated without an answer
};

// One open store, or one server. Safe to share between threads; stops when it is destroyed.
class Longshore {
 public:
  explicit Longshore(std::shared_ptr<JobService> service);  // what open() does
  Longshore(Longshore&&) noexcept;
  Longshore& operator=(Longshore&&) noexcept;
  ~Longshore();

  // Both may outlive this object; they then answer that it has stopped.
  Client client() const;
  std::shared_ptr<Leases> leases() const;

  // Reading, for dashboards and proofs. Valid as long as this object. A server's catalog has get,
  // glance, find_by_key, list and logs, of the token's namespace; an empty one means that. Its
  // other calls are Errc::refused: the HTTP API has routes of its own for them.
  Catalog& catalog() const;
  // A server's: its durability, `shared`, and the name "server".
  const Capabilities& capabilities() const;

  // Hands out no more work, commits what has been said so far, and ends the threads. What is said
  // later is refused. Idempotent. Stop workers first, or what they finish cannot be written down.
  // The file is free for others once this object, its clients and its workers are gone. Of a server
  // this ends the connection alone.
  void stop();

 private:
  std::shared_ptr<JobService> service_;
};

// Opens "sqlite:PATH" or "postgres://...", creating file or schema if need be, "redis://..." (also
// rediss, redis+cluster, rediss+cluster), or "memory:", which forgets everything at the end.
// Errc::invalid for other URLs or profiles, and what the store says if it cannot be opened.
//
// "http://HOST:PORT" and "https://HOST:PORT" are servers: the call asks whether one is there and
// knows the token. Errc::unavailable if it cannot be reached within `retry_for`, Errc::invalid if
// something else than a Longshore server answers, Errc::refused with Code::unauthenticated if it
// does not know the token.
Result<Longshore> open(std::string_view url, const OpenOptions& options = {});

}  // namespace longshore
