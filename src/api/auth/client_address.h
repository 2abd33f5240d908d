// The client's address behind proxies. Forwarding headers are used only if the proxy is trusted:
// anyone can send them.
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

  // The client's address: the last one in X-Forwarded-For that is not a trusted proxy, or the
  // peer's own if the peer is not trusted.
  std::string client_of(const HttpRequest& request) const;
  // Whether the client's connection uses TLS: to this server, or to a trusted proxy according to
  // X-Forwarded-Proto.
  bool is_secure(const HttpRequest& request) const;

 private:
  bool trusts(std::string_view address) const;

  std::vector<IpNetwork> networks_;
};

// Whether a proxy forwarded the request, by the headers that proxies add.
bool is_forwarded(const HttpRequest& request);

// The key by which failures are counted: an IPv4 address, or the /64 prefix of an IPv6 address.
std::string throttled_address(std::string_view address);

}  // namespace longshore
