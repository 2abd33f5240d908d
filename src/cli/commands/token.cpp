#include <fmt/format.h>

#include <functional>
#include <iostream>

#include "cli/client/server_calls.h"
#include "cli/client/store_access.h"
#include "cli/command.h"
#include "core/json/json_scan.h"
#include "longshore/json.h"
#include "server/settings/duration_text.h"
#include "server/store_tokens.h"

namespace longshore {
namespace {

// Sends the request to the server if --server is set; else opens the store, and falls back to the
// server if that holds the store.
Result<std::string> call_server_or_store(const Settings& settings, const HttpCall& call,
                                         const std::function<Result<std::string>()>& on_store) {
  if (!is_given(settings, "server")) {
    Result<std::string> answer = on_store();
    if (answer || !is_store_held(answer.error())) return answer;
    std::cerr << "A server uses the store; sending the request to " << settings.text("server")
              << std::endl;
  }
  Result<std::shared_ptr<HttpClient>> client = connect(settings);
  if (!client) return client.error();
  Result<HttpReply> reply = call_api(**client, call);
  if (!reply) return reply.error();
  return reply->body;
}

std::string body_of(const TokenRequest& request) {
  JsonWriter json;
  json.begin_object();
  json.name("role");
  json.string(request.role);
  if (!request.name.empty()) {
    json.name("name");
    json.string(request.name);
  }
  json.name("namespace");
  json.string(request.ns);
  if (request.lifetime && *request.lifetime != Duration::forever()) {
    json.name("expiresInSeconds");
    json.number(request.lifetime->in_seconds());
  }
  json.end_object();
  return json.take();
}

Result<TokenRequest> request_of(const Invocation& invocation) {
  TokenRequest request{.role = invocation.flag("--role").value_or(""),
                       .name = invocation.flag("--name").value_or(""),
                       .ns = invocation.flag("--namespace").value_or("default")};
  if (request.role.empty()) {
    return Error{Errc::invalid, "--role is required: producer, worker, viewer, operator or admin"};
  }
  if (const auto text = invocation.flag("--expires")) {
    request.lifetime = parse_duration(*text);
    if (!request.lifetime || *request.lifetime <= Duration()) {
      return Error{Errc::invalid, "--expires must be a duration, such as 90d or 12h"};
    }
  }
  return request;
}

ExitCode report_failure(const Error& error) {
  // Invalid arguments are a usage error, whether the server or the store rejected them.
  return error.code == Errc::invalid ? usage_error(error.message) : print_error(error);
}

void print_table(const std::string& json) {
  constexpr std::string_view row = "{:<16}  {:<9}  {:<16}  {:<20}  {:<24}  {}\n";
  std::cout << fmt::format(row, "ID", "ROLE", "NAMESPACE", "NAME", "EXPIRES", "LAST USED");
  std::vector<JsonSlice> tokens;
  const std::string list = member_of(json, "tokens");
  if (!scan_array(list, tokens)) return;
  const auto shown = [](std::string text) { return text == "null" ? "never" : text; };
  for (const JsonSlice& token : tokens) {
    std::cout << fmt::format(row, member_of(token.text, "id"), member_of(token.text, "role"),
                             member_of(token.text, "namespace"), member_of(token.text, "name"),
                             shown(member_of(token.text, "expiresAt")),
                             shown(member_of(token.text, "lastUsedAt")));
  }
}

}  // namespace

ExitCode run_token_create(const Invocation& invocation) {
  Result<TokenRequest> request = request_of(invocation);
  if (!request) return usage_error(request.error().message);
  const Settings& settings = invocation.settings;
  Result<std::string> made = call_server_or_store(
      settings, {.method = "POST", .path = "/tokens", .body = body_of(*request)},
      [&] { return create_token_on_store(settings, *request); });
  if (!made) return report_failure(made.error());
  if (settings.boolean("json")) {
    std::cout << *made << "\n";
    return ExitCode::done;
  }
  // Only the token goes to standard output, for scripts.
  std::cerr << "Token " << member_of(*made, "id") << " (" << request->role << " of " << request->ns
            << "). Store it safely: it cannot be shown again." << std::endl;
  std::cout << member_of(*made, "token") << "\n";
  return ExitCode::done;
}

ExitCode run_token_list(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  Result<std::string> tokens = call_server_or_store(settings, {.path = "/tokens"},
                                                    [&] { return list_tokens_on_store(settings); });
  if (!tokens) return print_error(tokens.error());
  if (settings.boolean("json")) {
    std::cout << *tokens << "\n";
  } else {
    print_table(*tokens);
  }
  return ExitCode::done;
}

ExitCode run_token_revoke(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  const std::string& id = invocation.arguments.front();
  const bool plain = id.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
  if (!plain || id.empty()) return print_error({Errc::not_found, "no token with ID " + id});
  Result<std::string> revoked =
      call_server_or_store(settings, {.method = "DELETE", .path = "/tokens/" + id},
                           [&] { return revoke_token_on_store(settings, id); });
  if (!revoked) return print_error(revoked.error());
  std::cout << (settings.boolean("json") ? *revoked : "Token " + id + " revoked") << "\n";
  return ExitCode::done;
}

}  // namespace longshore
