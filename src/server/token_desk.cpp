#include "server/token_desk.h"

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

// A store without an engine: commands are committed one by one.
class Desk {
 public:
  static Result<std::unique_ptr<Desk>> open(const Settings& settings) {
    auto desk = std::make_unique<Desk>();
    const Result<Rules> rules = rules_of(settings);
    if (!rules) return rules.error();
    auto backend = open_store(settings.text("store"), desk->clock_, *rules);
    if (!backend) return backend.error();
    desk->backend_ = std::move(*backend);
    if (desk->backend_->store().capabilities().survives_reopen) return desk;
    return Error{Errc::refused,
                 "the store " + settings.text("store") +
                     " forgets everything when its process ends; give --server to ask that one"};
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
    if (found == tokens->end()) return Error{Errc::not_found, "there is no token " + id};
    return *found;
  }
  Catalog& catalog() { return backend_->catalog(); }

 private:
  SystemClock clock_;
  std::unique_ptr<Backend> backend_;
};

const Actor local = {.name = "local", .request_id = "command line"};

Error invalid(std::string message) { return {Errc::invalid, std::move(message)}; }

std::optional<Error> fault_in(const TokenWish& wish) {
  if (!parse_role(wish.role)) {
    return invalid("--role must be producer, worker, viewer, operator or admin");
  }
  if (auto fault = namespace_fault(wish.ns)) return invalid("--namespace: " + *fault);
  if (wish.name.empty()) return std::nullopt;
  if (auto fault = token_name_fault(wish.name)) return invalid("--name: " + *fault);
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
  json.pop_back();  // the brace, to go on
  return json + ",\"token\":\"" + to_text(text) + "\"}";
}

}  // namespace

bool is_store_held(const Error& error) {
  return error.code == Errc::refused && error.message.find(" is held by ") != std::string::npos;
}

Result<std::string> make_token_on_store(const Settings& settings, const TokenWish& wish) {
  if (auto fault = fault_in(wish)) return *fault;
  auto desk = Desk::open(settings);
  if (!desk) return desk.error();
  Result<Instant> now = (*desk)->catalog().now();
  if (!now) return now.error();
  const TokenText text = random_token();
  TokenRecord token{.id = text.id,
                    .ns = wish.ns,
                    .name = wish.name.empty() ? wish.role + "-" + text.id.substr(0, 6) : wish.name,
                    .role = wish.role,
                    .hash = token_hash(settings.text("token-key"), text)};
  if (wish.lasts && *wish.lasts != Duration::forever()) token.expires_at = *now + *wish.lasts;
  Result<Nothing> made = (*desk)->commit(PutToken{.token = std::move(token), .actor = local});
  if (!made) return made.error();
  Result<TokenRecord> stored = (*desk)->find(text.id);
  if (!stored) return stored.error();
  return json_of(*stored, text);
}

Result<std::string> list_tokens_on_store(const Settings& settings) {
  auto desk = Desk::open(settings);
  if (!desk) return desk.error();
  Result<std::vector<TokenRecord>> tokens = (*desk)->catalog().tokens();
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
  auto desk = Desk::open(settings);
  if (!desk) return desk.error();
  Result<TokenRecord> token = (*desk)->find(id);
  if (!token) return token.error();
  Result<Nothing> revoked = (*desk)->commit(RevokeToken{.ns = token->ns, .id = id, .actor = local});
  if (!revoked) return revoked.error();
  return R"({"id":")" + id + R"(","revoked":true})";
}

}  // namespace longshore
