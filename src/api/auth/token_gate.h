// Lets in who shows a good token, or carries the session that one started. A server that has never
// seen a token serves its own machine without one. Once it has seen one it stays closed, whatever
// becomes of the list of tokens: an emptied store must not open the door.
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

// The name of a session's cookie; browsers send the second over TLS alone, and to this host alone.
inline constexpr std::string_view session_cookie = "longshore_session";
inline constexpr std::string_view secure_session_cookie = "__Host-longshore_session";

struct TokenGateOptions {
  // Equal on all nodes: tokens are stored as hashes made with it.
  std::string token_key;
  // Seals sessions; must not be stored where the tokens are. Empty: a random one, and sessions hold
  // on this node until it ends.
  std::string session_key;
  std::string base_url;         // the address behind which a proxy hides the server; empty: none
  bool require_tokens = false;  // closed even before there is a token
  TrustedProxies proxies;
};

// Safe to share between threads.
class TokenGate final : public Gate {
 public:
  // The first four must outlive the gate, and the timers and pool be stopped before it goes.
  TokenGate(Node& node, Timers& timers, ReadPool& read_pool, OpenCalls& calls,
            TokenGateOptions options);

  // Reads the tokens, and from now on again before a second has passed.
  void start();

  void judge(const CallRef& call, std::move_only_function<void(Judgement)> then) override;

  // The token that a request shows. A good one always passes; an address from which too many bad
  // ones came is told to wait.
  using Shown = std::variant<TokenRecord, Problem>;
  Shown judge_token(const HttpRequest& request, std::string_view text);

  // Reads the tokens now: what a token's own route has changed holds from its answer on. Calls that
  // are still open on a token that is gone are ended.
  void refresh(Catalog& catalog);

  // Who sent the request, and whether over TLS, also behind trusted proxies.
  std::string client_of(const HttpRequest& request) const;
  bool is_secure(const HttpRequest& request) const;
  // The session that a request carries; empty: none.
  std::string_view session_of(const HttpRequest& request) const;
  // Whether sessions end with this process, because no key for them was configured.
  bool sessions_end_with_node() const { return options_.session_key.empty(); }

  // Whether a page of this server sent the request, by its Origin; one without an Origin is none.
  bool is_from_own_page(const HttpRequest& request) const;

  TokenCache& cache() { return cache_; }

 private:
  Judgement judge_now(const CallRef& call);
  Judgement judge_open(const CallRef& call);
  Judgement judge_cookie(const Call& call, std::string_view cookie);
  Judgement admit(const TokenRecord& token);
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

// The value of a cookie in a Cookie header; empty if it is not there.
std::string_view cookie_value(std::string_view header, std::string_view name);

// "127.0.0.1" and the rest of 127/8, "::1", and the same written as an IPv6 address.
bool is_loopback_address(std::string_view address);

}  // namespace longshore
