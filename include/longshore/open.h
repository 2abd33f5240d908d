// open() makes a store ready for work in this process: it recovers what an earlier process left
// behind, promotes, reaps and prunes, and commits what clients and workers say.
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

class Node;  // the engine and its threads; shared by a Longshore, its clients and its leases

struct OpenOptions {
  std::string profile = "native";   // which rules; a store keeps those it was made with
  std::optional<Rules> rules = {};  // instead of a profile
  std::string ns = "default";       // the namespace of everything said through this object
  std::string node_name = {};       // shown to operators; empty: the host's name
  // What holds for every job of a queue or a type that does not say otherwise itself.
  std::map<std::string, PolicyLayer> queue_policies = {};
  std::map<std::string, PolicyLayer> type_policies = {};
};

// One open store. Safe to share between threads; stops when it is destroyed.
class Longshore {
 public:
  explicit Longshore(std::shared_ptr<Node> node);  // what open() does
  Longshore(Longshore&&) noexcept;
  Longshore& operator=(Longshore&&) noexcept;
  ~Longshore();

  // Both may outlive this object; they then answer that it has stopped.
  Client client() const;
  std::shared_ptr<Leases> leases() const;

  // Reading, for dashboards and proofs. Valid as long as this object.
  Catalog& catalog() const;
  const Capabilities& capabilities() const;

  // Hands out no more work, commits what has been said so far, and ends the threads. What is said
  // later is refused. Idempotent. Stop workers first, or what they finish cannot be written down.
  // The file is free for others once this object, its clients and its workers are gone.
  void stop();

 private:
  std::shared_ptr<Node> node_;
};

// Opens "sqlite:PATH", creating the file if need be, "postgres://...", creating the schema if need
// be, or "memory:", which forgets everything at the end. Errc::invalid for any other URL or an
// unknown profile, and what the store says if it cannot be opened.
Result<Longshore> open(std::string_view url, const OpenOptions& options = {});

}  // namespace longshore
