// Who may come in. The gate tells who asks; whether that role may use the route is decided in one
// place, by the table of routes.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <variant>

#include "api/wire/problem.h"
#include "api/wire/route.h"

namespace longshore {

using Judgement = std::variant<Caller, Problem>;

// Safe to share between threads.
class Gate {
 public:
  virtual ~Gate() = default;
  // Calls `then` once, at once or later, on any thread. Never blocks. Of the call, the exchange,
  // the route (null if there is none) and the path are known. A route for anyone needs no token.
  virtual void judge(const CallRef& call, std::move_only_function<void(Judgement)> then) = 0;
};

// A server without tokens: whoever reaches it over loopback may do everything. What a browser
// sends on behalf of a foreign page is refused: it has another Origin, or after a trick with names
// another Host.
class LoopbackGate final : public Gate {
 public:
  void judge(const CallRef& call, std::move_only_function<void(Judgement)> then) override;
};

// "localhost", with or without subdomains, any 127.x.y.z and [::1], each with or without a port.
bool is_loopback_host(std::string_view host);
// A page of this very server, under whichever of its loopback names. Another port is another
// server: a page from there could cancel jobs without ever reading an answer.
bool is_own_origin(std::string_view origin, std::string_view host, bool secure);
// A page of the very host and port that a request was sent to. Over TLS that page came over TLS;
// without, a proxy may have had the TLS.
bool is_origin_of_host(std::string_view origin, std::string_view host, bool secure);
// "https://jobs.example.org" of an address below it; empty if that is no http or https address.
std::string origin_of(std::string_view url);

}  // namespace longshore
