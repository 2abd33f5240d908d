#include "server/store_tokens.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "api/auth/caller.h"
#include "api/auth/token_text.h"
#include "api/wire/json_out.h"
#include "core/text/names.h"
#include "core/time/clock.h"
#include "runtime/node/node.h"
#include "runtime/os_random.h"
#include "runtime/store_url.h"
#include "server/settings/rule_options.h"

namespace longshore {
namespace {

// An open store without an engine. Commits commands one by one.
class TokenStore {
 public:
  static Result<std::unique_ptr<TokenStore>> open(const Settings& settings) {
    auto store = std::make_unique<TokenStore>();
    const Result<Rules> rules = rules_of(settings);
    if (!rules) return rules.error();
    auto backend = open_store(settings.text("store"), store->clock_, *rules);
    if (!backend) return backend.error();
    store->backend_ = std::move(*backend);
    if (store->backend_->store().capabilities().survives_reopen) return store;
    return Error{Errc::refused, "the store " + settings.text("store") +
                                    " exists only inside its process; use --server instead"};
  }

  Result<Nothing> commit(Command command) {
    Result<Committed> committed = backend_->store().commit(std::array{std::move(command)});
    if (!committed) return committed.error();
    if (const auto* refusal = std::get_if<Refusal>(&committed->verdicts.front())) {
      return to_error(*refusal);
    }
    return Nothing();
  }
  Result<TokenRecord> find(const std::string& id) {
    Result<std::vector<TokenRecord>> tokens = backend_->catalog().tokens();
    if (!tokens) return tokens.error();
    const auto found = std::ranges::find(*tokens, id, &TokenRecord::id);
    if (found == tokens->end()) return Error{Errc::not_found, "no token with ID " + id};
    return *found;
  }
  Catalog& catalog() { return backend_->catalog(); }

 private:
  SystemClock clock_;
  std::unique_ptr<Backend> backend_;
};

const Actor local = {.name = "local", .request_id = "command line"};

Error invalid(std::string message) { return {Errc::invalid, std::move(message)}; }

std::optional<Error> fault_in(const TokenRequest& request) {
  if (!parse_role(request.role)) {
    return invalid("--role must be producer, worker, viewer, operator or admin");
  }
  if (auto fault = namespace_fault(request.ns)) return invalid("--namespace: " + *fault);
  if (request.name.empty()) return std::nullopt;
  if (auto fault = token_name_fault(request.name)) return invalid("--name: " + *fault);
  return std::nullopt;
}

TokenText random_token() {
  OsRandom random;
  std::array<std::uint64_t, 4> secret{};
  for (std::uint64_t& part : secret) part = random.next();
  return new_token(random.next(), secret);
}

std::string json_of(const TokenRecord& token, const TokenText& text) {
  JsonOut out;
  write_token(out, token);
  std::string json = out.take();
  json.pop_back();  // the closing brace
  return json + ",\"token\":\"" + to_text(text) + "\"}";
}

}  // namespace

bool is_store_held(const Error& error) {
  return error.code == Errc::refused && error.message.find(" is held by ") != std::string::npos;
}

Result<std::string> create_token_on_store(const Settings& settings, const TokenRequest& request) {
  if (auto fault = fault_in(request)) return *fault;
  auto store = TokenStore::open(settings);
  if (!store) return store.error();
  Result<Instant> now = (*store)->catalog().now();
  if (!now) return now.error();
  const TokenText text = random_token();
  TokenRecord token{
      .id = text.id,
      .ns = request.ns,
      .name = request.name.empty() ? request.role + "-" + text.id.substr(0, 6) : request.name,
      .role = request.role,
      .hash = token_hash(settings.text("token-key"), text)};
  if (request.lifetime && *request.lifetime != Duration::forever())
    token.expires_at = *now + *request.lifetime;
  Result<Nothing> made = (*store)->commit(PutToken{.token = std::move(token), .actor = local});
  if (!made) return made.error();
  Result<TokenRecord> stored = (*store)->find(text.id);
  if (!stored) return stored.error();
  return json_of(*stored, text);
}

Result<std::string> list_tokens_on_store(const Settings& settings) {
  auto store = TokenStore::open(settings);
  if (!store) return store.error();
  Result<std::vector<TokenRecord>> tokens = (*store)->catalog().tokens();
  if (!tokens) return tokens.error();
  JsonOut out;
  out.open('{');
  out.key("tokens");
  out.open('[');
  for (const TokenRecord& token : *tokens) write_token(out, token);
  out.close(']');
  out.close('}');
  return out.take();
}

Result<std::string> revoke_token_on_store(const Settings& settings, const std::string& id) {
  auto store = TokenStore::open(settings);
  if (!store) return store.error();
  Result<TokenRecord> token = (*store)->find(id);
  if (!token) return token.error();
  Result<Nothing> revoked =
      (*store)->commit(RevokeToken{.ns = token->ns, .id = id, .actor = local});
  if (!revoked) return revoked.error();
  return R"({"id":")" + id + R"(","revoked":true})";
}

}  // namespace longshore
