// Standard Webhooks signatures: a receiver can verify that a delivery is authentic and recent.
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

// The signing secrets by name. Constant once shared between threads.
class Secrets {
 public:
  // Each is NAME=SECRET, where the secret is base64 of 16 to 128 bytes, with or without the prefix
  // "whsec_". Errc::invalid, without the secret, for anything else. These are not bound to a
  // namespace, so they sign only pushes, whose URLs the operator configures.
  static Result<Secrets> parse(const std::vector<std::string>& pairs);
  // Adds a secret for a namespace and URL prefixes. Errc::invalid as above.
  Result<Nothing> bind(const std::string& name, std::string_view secret,
                       const SecretBinding& binding);

  // The key for a callback of this namespace: the secret it names, or else "default" if that may
  // sign for the URL; null: unsigned. Errc::invalid, with the reason, if the named secret may not
  // sign.
  Result<const std::string*> for_callback(std::string_view ns, const Callback& callback) const;
  // The key for a push to this URL; null if the name is empty. Errc::invalid if there is no such
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
// webhook-id and webhook-timestamp only, for unsigned messages.
Headers message_headers(const std::string& id, Instant at);

}  // namespace longshore
