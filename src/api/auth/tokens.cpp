// Creating, listing and revoking tokens.
#include <algorithm>

#include "api/api.h"
#include "api/auth/routes.h"
#include "api/auth/token_gate.h"
#include "api/auth/token_text.h"
#include "api/wire/body.h"
#include "api/wire/calls.h"
#include "api/wire/query.h"
#include "core/text/names.h"

namespace longshore {
namespace {

constexpr std::string_view default_namespace = "default";

// Admins of the default namespace manage the tokens of all namespaces; others only their own.
bool may_manage(const Call& call, const std::string& ns) {
  return call.caller.ns == default_namespace || call.caller.ns == ns;
}

TokenText make_token(Ids& ids) {
  const RequestId id = ids.any<RequestId>();
  const RequestId first = ids.any<RequestId>();
  const RequestId second = ids.any<RequestId>();
  return new_token(id.high, {first.high, first.low, second.high, second.low});
}

std::optional<Instant> read_expiry(Fields& fields, Instant now) {
  constexpr SecondsRange range{
      .least = 1, .most = 10.0 * 365 * 86400, .otherwise = "must be from 1 second to ten years"};
  const std::optional<Instant> at = fields.time("expiresAt");
  const std::optional<Duration> in = fields.seconds("expiresInSeconds", range);
  if (at && in) fields.invalid("expiresAt", "must not be sent together with expiresInSeconds");
  if (at && *at <= now) fields.invalid("expiresAt", "must be in the future");
  if (in) return now + *in;
  return at;
}

TokenRecord read_token(Fields& fields, const Call& call, Instant now) {
  TokenRecord token;
  fields.require("role");
  if (std::optional<std::string> role = fields.text("role")) {
    token.role = std::move(*role);
    if (!parse_role(token.role)) {
      fields.invalid("role", "must be producer, worker, viewer, operator or admin");
    }
  }
  token.name = fields.text("name", token_name_fault).value_or("");
  token.ns = fields.text("namespace", namespace_fault).value_or(call.caller.ns);
  token.expires_at = read_expiry(fields, now);
  return token;
}

std::string made_json(const TokenRecord& token, const TokenText& text) {
  JsonOut out;
  write_token(out, token);
  std::string json = out.take();
  json.pop_back();  // the closing brace
  return json + ",\"token\":\"" + to_text(text) + "\"}";
}

void answer_made(Api& api, const CallRef& call, const TokenText& text) {
  api.read(call, ReadKind::point, [&api, call, text](Catalog& catalog) {
    const Result<std::vector<TokenRecord>> tokens = catalog.tokens();
    if (!tokens) return api.answer(call, api.problem_of(tokens.error()));
    api.tokens().refresh(catalog);
    const auto made = std::ranges::find(*tokens, text.id, &TokenRecord::id);
    if (made == tokens->end()) return api.answer(call, not_found("The token was revoked"));
    HttpResponse response = json_response(made_json(*made, text), 201);
    response.headers.push_back({"Location", "/tokens/" + text.id});
    api.answer(call, std::move(response));
  });
}

}  // namespace

void post_token(Api& api, CallRef call) {
  if (answered_for_query(api, call)) return;
  Body body(call->request().body);
  TokenRecord token = read_token(body.fields(), *call, api.node().time().wall().now());
  if (const auto problem = body.problem()) return api.answer(call, *problem);
  if (!may_manage(*call, token.ns)) {
    return api.answer(
        call,
        Problem{.code = Code::forbidden,
                .detail = "Forbidden: an admin may create tokens only for its own namespace"});
  }
  const TokenText text = make_token(api.node().ids());
  token.id = text.id;
  token.hash = api.tokens().cache().hash(text);
  if (token.name.empty()) token.name = token.role + "-" + token.id.substr(0, 6);
  PutToken put{.token = std::move(token), .actor = actor_of(*call)};
  api.submit(call, std::move(put),
             [&api, call, text](const Verdict&) { answer_made(api, call, text); });
}

void get_tokens(Api& api, CallRef call) {
  if (answered_for_query(api, call)) return;
  api.read(call, ReadKind::scan, [&api, call](Catalog& catalog) {
    const Result<std::vector<TokenRecord>> tokens = catalog.tokens();
    if (!tokens) return api.answer(call, api.problem_of(tokens.error()));
    JsonOut out;
    out.open('{');
    out.key("tokens");
    out.open('[');
    for (const TokenRecord& token : *tokens) {
      if (may_manage(*call, token.ns)) write_token(out, token);
    }
    out.close(']');
    out.close('}');
    api.answer(call, json_response(out.take()));
  });
}

void delete_token(Api& api, CallRef call) {
  Query query(*call);
  const bool in_path = !call->parameters.empty();
  const std::string id = in_path ? call->parameters[0] : query.text("id").value_or("");
  if (id.empty()) query.invalid("id", "must be the id of a token");
  if (const auto problem = query.problem()) return api.answer(call, *problem);
  api.read(call, ReadKind::point, [&api, call, id](Catalog& catalog) {
    const Result<std::vector<TokenRecord>> tokens = catalog.tokens();
    if (!tokens) return api.answer(call, api.problem_of(tokens.error()));
    const auto token = std::ranges::find(*tokens, id, &TokenRecord::id);
    if (token == tokens->end() || !may_manage(*call, token->ns)) {
      return api.answer(call, not_found("No such token"));
    }
    RevokeToken revoke{.ns = token->ns, .id = id, .actor = actor_of(*call)};
    api.submit(call, std::move(revoke), [&api, call, id](const Verdict&) {
      api.read(call, ReadKind::point, [&api, call, id](Catalog& now) {
        api.tokens().refresh(now);
        api.answer(call, json_response(R"({"id":")" + id + R"(","revoked":true})"));
      });
    });
  });
}

}  // namespace longshore
