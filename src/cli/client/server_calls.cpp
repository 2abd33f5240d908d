#include "cli/client/server_calls.h"

#include <algorithm>
#include <chrono>

#include "cli/client/json_row.h"
#include "cli/terminal/terminal.h"
#include "client/wire/wire.h"
#include "core/json/json_scan.h"
#include "core/json/json_value.h"
#include "server/settings/secret_files.h"

namespace longshore {
namespace {

constexpr Duration poll = Duration::seconds(50);

Instant now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return Instant::millis(std::chrono::duration_cast<std::chrono::milliseconds>(since).count());
}

// Adds the job's error to the problem of GET /jobs/{id}/result.
Error refusal_of(const HttpReply& reply) {
  Error error = error_of(reply);
  const JsonRow cause = JsonRow(reply.body).row("error");
  const std::string code = cause.text("code");
  if (!code.empty()) error.message += ": " + sanitized(code + ": " + cause.text("message"));
  return error;
}

}  // namespace

Result<std::string> token_of(const Settings& settings) {
  const std::string file = settings.text("token-file");
  if (file.empty()) return settings.text("token");
  if (settings.text("token").empty()) return read_secret_file(file);
  return Error{Errc::invalid, "token and token-file cannot both be set"};
}

Result<std::shared_ptr<HttpClient>> connect(const Settings& settings) {
  Result<std::string> token = token_of(settings);
  if (!token) return token.error();
  return HttpClient::make({.url = settings.text("server"),
                           .token = std::move(*token),
                           .ca_file = settings.text("ca-cert")});
}

Result<HttpReply> call_api(HttpClient& client, const HttpCall& call) {
  Result<HttpReply> reply = client.send(call);
  if (!reply) return reply;
  if (reply->status >= 200 && reply->status < 300) return reply;
  return refusal_of(*reply);
}

std::string member_of(std::string_view json, std::string_view name) {
  std::vector<JsonMember> members;
  if (!scan_object(json, members)) return "";
  for (const JsonMember& member : members) {
    if (!is_named(member, name)) continue;
    return json_string(member.value).value_or(std::string(member.value.text));
  }
  return "";
}

Result<std::string> wait_for_job(HttpClient& client, const std::string& id, Duration longest) {
  const Instant until = now() + longest;
  while (true) {
    const Duration rest = std::clamp(until - now(), Duration(), poll);
    const std::string seconds = std::to_string((rest.count() + 999) / 1000);
    Result<HttpReply> reply = call_api(client, {.path = "/jobs/" + id + "?waitSeconds=" + seconds,
                                                .timeout = rest + Duration::seconds(15)});
    if (!reply) return reply.error();
    const auto status = parse_status(member_of(reply->body, "status"));
    const bool ended = status && *status != Status::pending && *status != Status::running;
    if (ended || now() >= until) return reply->body;
  }
}

ExitCode exit_code_of_job(std::string_view job) {
  const auto status = parse_status(member_of(job, "status"));
  if (status == Status::completed) return ExitCode::done;
  if (status == Status::failed || status == Status::canceled) return ExitCode::job_failed;
  return ExitCode::failed;
}

}  // namespace longshore
