// Where something may be sent: an http or https URL, read strictly, and the guard that keeps what
// users write from reaching what only this machine and its neighbours should.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ip_address.h"
#include "longshore/error.h"

namespace longshore {

struct OutgoingUrl {
  bool secure = false;
  std::string host;                  // small letters; without the brackets of an IPv6 address
  std::optional<IpAddress> address;  // if that is what the host is
  std::uint16_t port = 0;
  std::string target;  // path and query; begins with '/'

  // For the Host header.
  std::string authority() const;
};

// Errc::invalid, with what is wrong: another scheme, a user's name, spaces, characters that are
// not ASCII, a host that is a number in disguise.
Result<OutgoingUrl> parse_outgoing_url(std::string_view url);

// Whether this is a path and query to ask for as it is: visible ASCII that begins with '/' and
// climbs nowhere ("/a/../b", however it is escaped).
bool is_plain_target(std::string_view target);

// Constant after construction, so safe to share between threads.
class UrlGuard {
 public:
  // Each is a host, an address, or a network such as 10.0.0.0/8 that may be reached though it is
  // not public. Errc::invalid for anything else.
  static Result<UrlGuard> make(const std::vector<std::string>& allowed);

  // Why the URL may not be asked, as far as it shows without resolving its host.
  std::optional<Error> fault(const OutgoingUrl& url) const;
  // The same of an address that its host resolved to.
  std::optional<Error> fault(const OutgoingUrl& url, const IpAddress& address) const;

 private:
  bool allows_host(const OutgoingUrl& url) const;
  bool allows(const IpAddress& address) const;

  std::vector<std::string> hosts_;
  std::vector<IpNetwork> networks_;
};

}  // namespace longshore
