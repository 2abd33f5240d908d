// Who sent a request where proxies stand in between. A proxy's word counts only if the proxy is
// trusted: everybody can send the headers.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/net/ip_address.h"
#include "http/exchange.h"
#include "longshore/error.h"

namespace longshore {

// Constant after construction, so safe to share between threads.
class TrustedProxies {
 public:
  // Each is an address, or a network such as 10.0.0.0/8. Errc::invalid for anything else.
  static Result<TrustedProxies> make(const std::vector<std::string>& networks);

  // The client's address: the last one in X-Forwarded-For that is no trusted proxy, or the peer's
  // own if the peer is none.
  std::string client_of(const HttpRequest& request) const;
  // Whether the client's connection is encrypted: to this server, or to a trusted proxy that says
  // so in X-Forwarded-Proto.
  bool is_secure(const HttpRequest& request) const;

 private:
  bool trusts(std::string_view address) const;

  std::vector<IpNetwork> networks_;
};

// Whether a proxy has passed the request on, by the headers that proxies add.
bool is_forwarded(const HttpRequest& request);

// What failures are counted by: an IPv4 address, or the 64 bits of an IPv6 address that one
// customer of a provider has.
std::string throttled_address(std::string_view address);

}  // namespace longshore
