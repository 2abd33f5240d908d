#include "api/auth/token_gate.h"

#include <arpa/inet.h>
#include <netinet/in.h>

#include <algorithm>
#include <utility>

namespace longshore {
namespace {

// A revoked token must not be accepted for more than a second.
constexpr Duration look_every = Duration::millis(800);

constexpr std::string_view no_token_exists =
    "This server requires a token and none exists yet; create one with `longshore token create "
    "--role admin`";
constexpr std::string_view session_of_a_node =
    "The session has ended; sign in again. Without a token-key, sessions are valid only on the "
    "node "
    "that started them and until it restarts; set the same token-key on every node";

Problem unauthenticated(std::string detail) {
  return {.code = Code::unauthenticated,
          .detail = std::move(detail),
          .headers = {{"WWW-Authenticate", "Bearer"}}};
}

Problem forbidden(std::string detail) {
  return {.code = Code::forbidden, .detail = std::move(detail)};
}

bool is_for_anyone(const Call& call) {
  return call.route == nullptr ||
         std::ranges::find(call.route->roles, Role::anyone) != call.route->roles.end();
}

std::string random_key(Ids& ids) {
  return to_hex(ids.any<RequestId>()) + to_hex(ids.any<RequestId>());
}

bool only_reads(std::string_view method) { return method == "GET" || method == "HEAD"; }

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

bool is_bearer(std::string_view scheme) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return std::ranges::equal(scheme, std::string_view("bearer"), {}, lower);
}

}  // namespace

TokenGate::TokenGate(Node& node, Timers& timers, ReadPool& read_pool, OpenCalls& calls,
                     TokenGateOptions options)
    : node_(node),
      timers_(timers),
      read_pool_(read_pool),
      calls_(calls),
      options_(std::move(options)),
      origin_(origin_of(options_.base_url)),
      cache_(options_.token_key,
             options_.session_key.empty() ? random_key(node.ids()) : options_.session_key) {}

bool TokenGate::is_from_own_page(const HttpRequest& request) const {
  const std::string_view origin = request.header("Origin");
  const std::string_view host = request.header("Host");
  if (!origin_.empty() && origin == origin_) return true;
  return is_own_origin(origin, host, request.secure) ||
         is_origin_of_host(origin, host, request.secure);
}

void TokenGate::start() {
  refresh(node_.catalog());
  look_again_later();
}

void TokenGate::look_again_later() {
  timers_.at(timers_.now() + look_every, [this] {
    ReadPool::Read read = [this](Catalog& catalog) {
      refresh(catalog);
      look_again_later();
    };
    if (!read_pool_.push(ReadKind::point, read)) look_again_later();
  });
}

// If the store does not answer, the last tokens stay valid: nothing else works then either.
void TokenGate::refresh(Catalog& catalog) {
  const Result<Instant> store_time = catalog.now();
  if (!store_time) return;
  const Result<std::vector<TokenRecord>> tokens = catalog.tokens();
  if (!tokens) return;
  cache_.refresh(*tokens, *store_time, timers_.now());
  if (!tokens->empty()) seen_tokens_ = true;
  calls_.end_those_of([this](const std::string& token) { return is_gone(token); });
}

bool TokenGate::is_closed() const { return seen_tokens_ || options_.require_tokens; }

bool TokenGate::is_gone(const std::string& token) const {
  if (token.empty()) return is_closed();
  return !cache_.is_good(token, timers_.now());
}

std::string TokenGate::client_of(const HttpRequest& request) const {
  return options_.proxies.client_of(request);
}

bool TokenGate::is_secure(const HttpRequest& request) const {
  return options_.proxies.is_secure(request) || origin_.starts_with("https://");
}

std::string_view TokenGate::session_of(const HttpRequest& request) const {
  return cookie_value(request.header("Cookie"),
                      is_secure(request) ? secure_session_cookie : session_cookie);
}

void TokenGate::authenticate(const CallRef& call, std::move_only_function<void(AuthResult)> then) {
  then(authenticate_now(call));
}

AuthResult TokenGate::authenticate_now(const CallRef& call) {
  if (!cache_.is_loaded()) {
    if (is_for_anyone(*call)) return Caller{};
    return Problem{.code = Code::store_unavailable,
                   .detail = "The tokens could not be read yet; retry"};
  }
  if (!is_closed()) return check_loopback(call);
  if (is_for_anyone(*call)) return Caller{.role = Role::anyone, .name = "anyone"};
  const std::string_view header = call->request().header("Authorization");
  if (header.empty()) {
    const std::string_view cookie = session_of(call->request());
    if (!cookie.empty()) return check_cookie(*call, cookie);
    if (!cache_.has_any()) return unauthenticated(std::string(no_token_exists));
    return unauthenticated("Send a token as Authorization: Bearer TOKEN");
  }
  const std::size_t space = header.find(' ');
  if (space == std::string_view::npos || !is_bearer(header.substr(0, space))) {
    return unauthenticated("Only Authorization: Bearer is supported");
  }
  TokenCheck checked = check_token(call->request(), trimmed(header.substr(space)));
  if (auto* problem = std::get_if<Problem>(&checked)) return std::move(*problem);
  return admit(std::get<TokenRecord>(checked));
}

AuthResult TokenGate::check_loopback(const CallRef& call) {
  const std::string& peer = call->request().peer;
  if (!peer.empty() && !is_loopback_address(peer)) {
    return forbidden(
        "Without tokens, this server accepts only loopback connections; create a token");
  }
  AuthResult result = Caller{};
  loopback_.authenticate(call, [&](AuthResult found) { result = std::move(found); });
  return result;
}

// The token is checked before the lockout: clients with valid tokens behind the same proxy or NAT
// must not be locked out.
TokenGate::TokenCheck TokenGate::check_token(const HttpRequest& request, std::string_view text) {
  const Instant now = timers_.now();
  if (std::optional<TokenRecord> token = cache_.check(text, now)) return std::move(*token);
  const std::string address = throttled_address(client_of(request));
  if (const std::optional<Duration> locked = lockout_.locked_for(address, now)) {
    return Problem{.code = Code::overloaded,
                   .detail = "Too many requests with invalid tokens from this address",
                   .retry_after = static_cast<int>(locked->count() / 1000 + 1)};
  }
  lockout_.failed(address, now);
  return unauthenticated("The token is unknown, revoked or expired");
}

// Browsers send the cookie with requests of any page (CSRF), so a request that changes something
// must come from a page of this server.
AuthResult TokenGate::check_cookie(const Call& call, std::string_view cookie) {
  const HttpRequest& request = call.request();
  const std::optional<TokenRecord> token = cache_.check_session(cookie, timers_.now());
  if (!token && sessions_end_with_node()) return unauthenticated(std::string(session_of_a_node));
  if (!token) return unauthenticated("The session has ended; sign in again");
  if (!only_reads(request.method) && !is_from_own_page(request)) {
    return forbidden("With a session, only pages of this server may change something");
  }
  return admit(*token);
}

AuthResult TokenGate::admit(const TokenRecord& token) {
  const std::optional<Role> role = parse_role(token.role);
  if (!role) return forbidden("The token's role is unknown to this version");
  if (cache_.should_touch(token.id, timers_.now())) {
    node_.engine().submit(TouchToken{.id = token.id}, [](const Result<Answered>&) {});
  }
  return Caller{.role = *role, .ns = token.ns, .name = token.name, .token = token.id};
}

std::string_view cookie_value(std::string_view header, std::string_view name) {
  while (!header.empty()) {
    const std::size_t end = std::min(header.find(';'), header.size());
    const std::string_view pair = trimmed(header.substr(0, end));
    header.remove_prefix(std::min(end + 1, header.size()));
    const std::size_t equals = pair.find('=');
    if (equals != std::string_view::npos && pair.substr(0, equals) == name) {
      return pair.substr(equals + 1);
    }
  }
  return {};
}

bool is_loopback_address(std::string_view address) {
  const std::string text(address);
  in_addr four{};
  if (::inet_pton(AF_INET, text.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
  in6_addr six{};
  if (::inet_pton(AF_INET6, text.c_str(), &six) != 1) return false;
  if (IN6_IS_ADDR_V4MAPPED(&six)) return six.s6_addr[12] == 127;
  return IN6_IS_ADDR_LOOPBACK(&six);
}

}  // namespace longshore
