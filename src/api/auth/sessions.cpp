// The sessions that browsers start with a token.
#include "api/api.h"
#include "api/auth/routes.h"
#include "api/auth/token_gate.h"
#include "api/wire/body.h"
#include "api/wire/calls.h"
#include "api/wire/json_out.h"

namespace longshore {
namespace {

constexpr Duration session_lasts = TokenCache::session_lasts_max;

std::string session_json(const TokenRecord& token, bool ends_with_node) {
  JsonOut out;
  out.open('{');
  out.member("name", token.name);
  out.member("role", token.role);
  out.member("namespace", token.ns);
  out.member("expiresInSeconds", session_lasts);
  if (ends_with_node) {
    out.member(
        "note",
        "No token-key is set: this session is valid only on this node and until it restarts");
  }
  out.close('}');
  return out.take();
}

HttpHeader cookie(bool secure, const std::string& value, Duration lasts) {
  std::string text =
      std::string(secure ? secure_session_cookie : session_cookie) + "=" + value +
      "; Path=/; HttpOnly; SameSite=Strict; Max-Age=" + std::to_string(lasts.count() / 1000);
  if (secure) text += "; Secure";
  return {"Set-Cookie", std::move(text)};
}

// Only browsers send an Origin; pages of other sites are refused.
bool answered_for_origin(Api& api, const CallRef& call) {
  const HttpRequest& request = call->request();
  if (request.header("Origin").empty() || api.tokens().is_from_own_page(request)) return false;
  api.answer(call,
             Problem{.code = Code::forbidden,
                     .detail = "Forbidden: only pages of this server may start or end a session"});
  return true;
}

}  // namespace

void post_session(Api& api, CallRef call) {
  if (answered_for_query(api, call)) return;
  const HttpRequest& request = call->request();
  if (answered_for_origin(api, call)) return;
  Body body(request.body);
  body.fields().require("token");
  const std::string text = body.fields().text("token").value_or("");
  if (const auto problem = body.problem()) return api.answer(call, *problem);
  const TokenGate::TokenCheck checked = api.tokens().check_token(request, text);
  if (const auto* problem = std::get_if<Problem>(&checked)) return api.answer(call, *problem);
  const auto& token = std::get<TokenRecord>(checked);
  const std::string session =
      api.tokens().cache().begin_session(token, session_lasts, api.timers().now());
  HttpResponse response = json_response(session_json(token, api.tokens().sessions_end_with_node()));
  response.headers.push_back(cookie(api.tokens().is_secure(request), session, session_lasts));
  api.answer(call, std::move(response));
}

void delete_session(Api& api, CallRef call) {
  if (answered_for_query(api, call) || answered_for_origin(api, call)) return;
  const HttpRequest& request = call->request();
  api.tokens().cache().end_session(api.tokens().session_of(request), api.timers().now());
  HttpResponse response{.status = 204, .content_type = ""};
  response.headers.push_back(cookie(api.tokens().is_secure(request), "", Duration()));
  api.answer(call, std::move(response));
}

}  // namespace longshore
