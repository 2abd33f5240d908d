// Standard Webhooks: how a receiver knows that a delivery is ours, whole and new.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "longshore/error.h"
#include "longshore/time.h"

namespace longshore {

// What signs deliveries, by name. Constant after construction.
class Secrets {
 public:
  // Each is NAME=SECRET, where the secret is base64 of 16 to 128 bytes, with or without "whsec_"
  // before it. Errc::invalid, without the secret, for anything else.
  static Result<Secrets> parse(const std::vector<std::string>& pairs);

  // The key itself; null if there is no secret of that name.
  const std::string* find(std::string_view name) const;

 private:
  std::map<std::string, std::string, std::less<>> keys_;
};

using Headers = std::vector<std::pair<std::string, std::string>>;

// webhook-id, webhook-timestamp and webhook-signature of a message.
Headers signature_headers(const std::string& key, const std::string& id, Instant at,
                          const std::string& body);
// The first two alone, of what nobody signs.
Headers message_headers(const std::string& id, Instant at);

}  // namespace longshore
