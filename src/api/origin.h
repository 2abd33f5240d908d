// Whether a request comes from this machine and from a page of this server: what protects a server
// without tokens from the web pages that its user visits.
#pragma once

#include <string_view>

namespace longshore {

// "127.0.0.1" and the rest of 127/8, "::1", and the same written as an IPv6 address.
bool is_loopback_address(std::string_view address);

// Whether an Origin header is that of a page which this server gave out, when it was asked as `host`
// over TLS or not. One name of this machine is as good as another.
bool is_own_origin(std::string_view origin, std::string_view host, bool secure);

}  // namespace longshore
