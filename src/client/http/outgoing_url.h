// The URL guard: protects against server-side request forgery (SSRF) through URLs that users set.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/net/ip_address.h"
#include "core/net/web_url.h"
#include "longshore/error.h"

namespace longshore {

// Constant after construction, so safe to share between threads.
class UrlGuard {
 public:
  // Each entry is a host, an address, or a network such as 10.0.0.0/8 that may be reached although
  // it is not public. Errc::invalid for anything else.
  static Result<UrlGuard> make(const std::vector<std::string>& allowed);

  // Why the URL is not allowed, as far as can be told without resolving its host.
  std::optional<Error> fault(const OutgoingUrl& url) const;
  // The same for an address that its host resolved to.
  std::optional<Error> fault(const OutgoingUrl& url, const IpAddress& address) const;

 private:
  bool allows_host(const OutgoingUrl& url) const;
  bool allows(const IpAddress& address) const;

  std::vector<std::string> hosts_;
  std::vector<IpNetwork> networks_;
};

}  // namespace longshore
