// Standard Webhooks: how a receiver knows that a delivery is ours, whole and new.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/net/secret_bindings.h"
#include "longshore/error.h"
#include "longshore/time.h"

namespace longshore {

// What signs deliveries, by name. Constant once it is shared between threads.
class Secrets {
 public:
  // Each is NAME=SECRET, where the secret is base64 of 16 to 128 bytes, with or without "whsec_"
  // before it. Errc::invalid, without the secret, for anything else. They are bound to nothing, so
  // they sign pushes alone, whose URLs are the operator's own.
  static Result<Secrets> parse(const std::vector<std::string>& pairs);
  // Adds one that signs for a namespace and below URLs. Errc::invalid as above.
  Result<Nothing> bind(const std::string& name, std::string_view secret,
                       const SecretBinding& binding);

  // The key for a callback of this namespace: the one it names, or if it names none the one called
  // "default", if that may sign it; null: nothing does. Errc::invalid, with why, if the one that it
  // names may not.
  Result<const std::string*> for_callback(std::string_view ns, const Callback& callback) const;
  // The key for what a worker sends there; null for no name. Errc::invalid if there is no such
  // secret, or if it is bound to other URLs.
  Result<const std::string*> for_push(std::string_view name, const OutgoingUrl& url) const;

  const SecretBindings& bindings() const { return bindings_; }

 private:
  Result<Nothing> add(const std::string& name, std::string_view secret);

  std::map<std::string, std::string, std::less<>> keys_;
  SecretBindings bindings_;
};

using Headers = std::vector<std::pair<std::string, std::string>>;

// webhook-id, webhook-timestamp and webhook-signature of a message.
Headers signature_headers(const std::string& key, const std::string& id, Instant at,
                          const std::string& body);
// The first two alone, of what nobody signs.
Headers message_headers(const std::string& id, Instant at);

}  // namespace longshore
