// Authentication: a gate finds the caller of a request. Authorization, whether the caller's role
// may use the route, is decided by the table of routes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "api/wire/problem.h"
#include "api/wire/route.h"

namespace longshore {

using AuthResult = std::variant<Caller, Problem>;

// Safe to share between threads.
class Gate {
 public:
  virtual ~Gate() = default;
  // Calls `then` once, now or later, on any thread. Never blocks. The call's exchange, route (null
  // if there is none) and path are set. A route for anyone needs no token.
  virtual void authenticate(const CallRef& call,
                            std::move_only_function<void(AuthResult)> then) = 0;
};

// For a server without tokens: every client on loopback is an admin. Requests of a browser for a
// page of another site are refused: they have another Origin or, after DNS rebinding, another Host.
class LoopbackGate final : public Gate {
 public:
  void authenticate(const CallRef& call, std::move_only_function<void(AuthResult)> then) override;
};

// "localhost", with or without subdomains, any 127.x.y.z and [::1], each with or without a port.
bool is_loopback_host(std::string_view host);
// A page of this server, under any of its loopback names. Another port is another server: a page
// from there could cancel jobs without reading the answers.
bool is_own_origin(std::string_view origin, std::string_view host, bool secure);
// A page of the same host and port as the request. Over TLS the page must be https too; without TLS
// it may be either, since a proxy may terminate TLS.
bool is_origin_of_host(std::string_view origin, std::string_view host, bool secure);
// "https://jobs.example.org" of a URL below it; empty if it is not an http or https URL.
std::string origin_of(std::string_view url);

}  // namespace longshore
