// Authenticates by token, or by the session that a token started. Until a server has seen a token,
// it serves loopback without one. Afterwards it always requires one: an emptied store must not open
// the server.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "api/admission/lockout.h"
#include "api/admission/open_calls.h"
#include "api/auth/client_address.h"
#include "api/auth/gate.h"
#include "api/auth/token_cache.h"
#include "api/wire/read_pool.h"
#include "api/wire/timers.h"
#include "runtime/node/node.h"

namespace longshore {

// The names of the session cookie; browsers send the second only over TLS and only to this host.
inline constexpr std::string_view session_cookie = "longshore_session";
inline constexpr std::string_view secure_session_cookie = "__Host-longshore_session";

struct TokenGateOptions {
  // Equal on all nodes: tokens are stored as hashes keyed with it.
  std::string token_key;
  // Signs sessions; must not be stored with the tokens. Empty: a random key, and sessions are valid
  // on this node until it stops.
  std::string session_key;
  std::string base_url;         // the public URL, if a proxy changes it; else empty
  bool require_tokens = false;  // even before a token exists
  TrustedProxies proxies;
};

// Safe to share between threads.
class TokenGate final : public Gate {
 public:
  // The first four must outlive the gate; the timers and the pool must be stopped before it is
  // destroyed.
  TokenGate(Node& node, Timers& timers, ReadPool& read_pool, OpenCalls& calls,
            TokenGateOptions options);

  // Reads the tokens now, and then at least once a second.
  void start();

  void authenticate(const CallRef& call, std::move_only_function<void(AuthResult)> then) override;

  // Checks the token of a request. A valid one always passes; an address that sent too many invalid
  // ones is locked out.
  using TokenCheck = std::variant<TokenRecord, Problem>;
  TokenCheck check_token(const HttpRequest& request, std::string_view text);

  // Reads the tokens now, so that a change is in force when its request is answered. Ends the open
  // calls of revoked tokens.
  void refresh(Catalog& catalog);

  // The client's address and whether it uses TLS, also behind trusted proxies.
  std::string client_of(const HttpRequest& request) const;
  bool is_secure(const HttpRequest& request) const;
  // The session cookie of a request; empty: none.
  std::string_view session_of(const HttpRequest& request) const;
  // Whether sessions end with this process, because no session key is configured.
  bool sessions_end_with_node() const { return options_.session_key.empty(); }

  // Whether a page of this server sent the request, by its Origin; false without an Origin.
  bool is_from_own_page(const HttpRequest& request) const;

  TokenCache& cache() { return cache_; }

 private:
  AuthResult authenticate_now(const CallRef& call);
  AuthResult check_loopback(const CallRef& call);
  AuthResult check_cookie(const Call& call, std::string_view cookie);
  AuthResult admit(const TokenRecord& token);
  bool is_closed() const;
  bool is_gone(const std::string& token) const;
  void look_again_later();

  Node& node_;
  Timers& timers_;
  ReadPool& read_pool_;
  OpenCalls& calls_;
  const TokenGateOptions options_;
  const std::string origin_;
  TokenCache cache_;
  std::atomic<bool> seen_tokens_ = false;
  Lockout lockout_;
  LoopbackGate loopback_;
};

// The value of a cookie in a Cookie header; empty if absent.
std::string_view cookie_value(std::string_view header, std::string_view name);

// 127.0.0.0/8, ::1, and the former mapped to IPv6.
bool is_loopback_address(std::string_view address);

}  // namespace longshore
