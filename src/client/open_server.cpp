// Opens a service for a server's URL: refuses options that do not apply to a server, and checks
// that the server responds and accepts the token.
#include <unistd.h>

#include <array>
#include <utility>

#include "client/server/server_service.h"
#include "client/wire/members.h"
#include "core/time/clock.h"

namespace longshore {
namespace {

std::optional<Error> option_fault(const OpenOptions& options) {
  const OpenOptions none;
  const char* wrong = nullptr;
  if (options.profile != none.profile) wrong = "profile";
  if (options.rules) wrong = "rules";
  if (options.accepted) wrong = "accepted";
  if (!options.queue_policies.empty()) wrong = "queue_policies";
  if (!options.type_policies.empty()) wrong = "type_policies";
  if (wrong != nullptr) {
    return Error{
        Errc::invalid,
        std::string(wrong) + ": is an option of the server; set it there, or open its store"};
  }
  if (options.ns == none.ns) return std::nullopt;
  return Error{Errc::invalid,
               "ns: the token determines the namespace; use a token of that namespace"};
}

std::string worker_name(const OpenOptions& options, Random& random) {
  if (!options.node_name.empty()) return options.node_name;
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return std::string(host.data()) + ":" + std::to_string(::getpid()) + ":" +
         to_hex(random.next(), 0).substr(0, 8);
}

Error no_longshore(const std::string& url, const HttpReply& reply) {
  return {Errc::invalid, url + " is not a Longshore server: GET /readyz answered status " +
                             std::to_string(reply.status) +
                             ", but not a Longshore readiness document; check the address"};
}

Result<Capabilities> ask_readiness(ServerCaller& caller) {
  const Result<HttpReply> reply = caller.ask({.path = "/readyz"});
  if (!reply) return reply.error();
  const std::string durability = Members(reply->body).text("durability");
  if (durability.empty()) return no_longshore(caller.url(), *reply);
  Capabilities capabilities{.name = "server", .shared = true, .survives_reopen = true};
  if (durability == "A") capabilities.durability = Durability::a;
  if (durability == "B") capabilities.durability = Durability::b;
  return capabilities;
}

// Asks for a job that does not exist: an invalid token is refused first.
std::optional<Error> token_fault(ServerCaller& caller) {
  SystemClock clock;
  const JobId nobodys =
      caller.with_random([&clock](Random& random) { return JobIds(random).next(clock.now()); });
  const Result<HttpReply> reply = caller.ask({.path = "/jobs/" + to_text(nobodys)});
  if (reply || reply.error().code == Errc::not_found) return std::nullopt;
  if (reply.error().refusal == Code::forbidden) return std::nullopt;  // a worker token
  return reply.error();
}

}  // namespace

Result<std::shared_ptr<JobService>> open_server(std::string_view url, const OpenOptions& options,
                                                MakeRandom make_random) {
  if (auto fault = option_fault(options)) return *fault;
  Result<std::shared_ptr<HttpClient>> http = HttpClient::make(
      {.url = std::string(url), .token = options.token, .ca_file = options.ca_file});
  if (!http) return http.error();
  auto caller = std::make_shared<ServerCaller>(*http, options.retry_for, make_random());
  Result<Capabilities> capabilities = ask_readiness(*caller);
  if (!capabilities) return capabilities.error();
  if (auto fault = token_fault(*caller)) return *fault;
  const std::unique_ptr<Random> random = make_random();
  return std::shared_ptr<JobService>(std::make_shared<ServerService>(
      caller, make_random, worker_name(options, *random), std::move(*capabilities)));
}

}  // namespace longshore
