// Lets in who shows a good token, or carries the session that one started. While the store knows no
// token at all, whoever is on this machine may do everything.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "api/gate.h"
#include "api/lockout.h"
#include "api/read_lanes.h"
#include "api/timers.h"
#include "api/token_cache.h"
#include "runtime/node.h"

namespace longshore {

inline constexpr std::string_view session_cookie = "longshore_session";

// Safe to share between threads.
class TokenGate final : public Gate {
 public:
  // The first three must outlive the gate, and the timers and lanes be stopped before it goes.
  // `key` is equal on all nodes: tokens are kept as hashes made with it. `origin` is that of the
  // address behind which a proxy hides the server; empty: there is none.
  TokenGate(Node& node, Timers& timers, ReadLanes& lanes, std::string key, std::string origin = {});

  // Reads the tokens, and from now on again before a second has passed.
  void start();

  void judge(const CallRef& call, std::move_only_function<void(Judgement)> then) override;

  // The token behind a text that somebody shows, such as one who wants a session. Who fails too
  // often from one address is locked out.
  using Shown = std::variant<TokenRecord, Problem>;
  Shown judge_token(const std::string& peer, std::string_view text);

  // Reads the tokens now: what a token's own route has changed holds from its answer on.
  void refresh(Catalog& catalog);

  // Whether a page of this server sent the request, by its Origin; one without an Origin is none.
  bool is_from_own_page(const HttpRequest& request) const;

  TokenCache& cache() { return cache_; }

 private:
  Judgement judge_now(const CallRef& call);
  Judgement judge_open(const CallRef& call);
  Judgement judge_cookie(const Call& call, std::string_view cookie);
  Judgement admit(const TokenRecord& token);
  void look_again_later();

  Node& node_;
  Timers& timers_;
  ReadLanes& lanes_;
  TokenCache cache_;
  const std::string origin_;
  Lockout lockout_;
  LoopbackGate loopback_;
};

// The value of a cookie in a Cookie header; empty if it is not there.
std::string_view cookie_value(std::string_view header, std::string_view name);

// "127.0.0.1" and the rest of 127/8, "::1", and the same written as an IPv6 address.
bool is_loopback_address(std::string_view address);

}  // namespace longshore
