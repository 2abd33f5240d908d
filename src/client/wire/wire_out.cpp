#include <type_traits>

#include "client/wire/wire.h"
#include "core/assert.h"
#include "core/ids/lease_token.h"
#include "longshore/json.h"

namespace longshore {
namespace {

constexpr Duration claim_margin = Duration::seconds(15);  // network latency of the response

void text_member(JsonWriter& json, std::string_view name, std::string_view text) {
  json.name(name);
  json.string(text);
}

void raw_member(JsonWriter& json, std::string_view name, std::string_view value) {
  json.name(name);
  json.raw(value);
}

void seconds_member(JsonWriter& json, std::string_view name, const std::optional<Duration>& wait) {
  if (!wait) return;
  json.name(name);
  json.number(wait->in_seconds());
}

void names_member(JsonWriter& json, std::string_view name, const std::vector<std::string>& names) {
  json.name(name);
  json.begin_array();
  for (const std::string& one : names) {
    json.element();
    json.string(one);
  }
  json.end_array();
}

void error_members(JsonWriter& json, const Fail& fail) {
  json.name("error");
  json.begin_object();
  if (!fail.error.code.empty()) text_member(json, "code", fail.error.code);
  text_member(json, "message", fail.error.message);
  if (!fail.error.details.empty()) raw_member(json, "details", fail.error.details);
  json.end_object();
  json.name("retryable");
  json.boolean(fail.retryable);
  seconds_member(json, "retryAfterSeconds", fail.retry_after);
}

void log_member(JsonWriter& json, const std::string& log) {
  if (!log.empty()) text_member(json, "log", log);
}

void members(JsonWriter& json, const Heartbeat& command) {
  seconds_member(json, "extendSeconds", command.extend);
  if (command.progress) {
    json.name("progress");
    json.number(*command.progress);
  }
  if (command.checkpoint) raw_member(json, "checkpoint", *command.checkpoint);
  log_member(json, command.log);
}

void members(JsonWriter& json, const Complete& command) {
  raw_member(json, "result", command.result);
  log_member(json, command.log);
}

void members(JsonWriter& json, const Fail& command) {
  error_members(json, command);
  log_member(json, command.log);
}

void members(JsonWriter& json, const Release& command) {
  seconds_member(json, "delaySeconds", command.delay);
  if (command.checkpoint) raw_member(json, "checkpoint", *command.checkpoint);
  log_member(json, command.log);
}

void members(JsonWriter& json, const HandOff& command) {
  seconds_member(json, "timeoutSeconds", command.timeout);
}

template <class Kind>
constexpr std::string_view route = "";
template <>
constexpr std::string_view route<Heartbeat> = "/heartbeat";
template <>
constexpr std::string_view route<Complete> = "/complete";
template <>
constexpr std::string_view route<Fail> = "/fail";
template <>
constexpr std::string_view route<Release> = "/release";
template <>
constexpr std::string_view route<HandOff> = "/handoff";

HttpCall post(std::string path, JsonWriter& json) {
  return {.method = "POST", .path = std::move(path), .body = json.take()};
}

}  // namespace

HttpCall call_for(const Claim& claim, Duration wait, const WorkerInfo* worker) {
  JsonWriter json;
  json.begin_object();
  text_member(json, "workerId", claim.worker);
  names_member(json, "queues", claim.queues);
  if (claim.types) names_member(json, "jobTypes", *claim.types);
  json.name("maxJobs");
  json.integer(claim.limit);
  seconds_member(json, "waitSeconds", wait);
  seconds_member(json, "leaseSeconds", claim.lease);
  text_member(json, "requestId", to_hex(claim.id));
  if (worker != nullptr) {
    json.name("worker");
    json.begin_object();
    json.name("slots");
    json.integer(worker->slots);
    if (!worker->host.empty()) text_member(json, "host", worker->host);
    if (!worker->version.empty()) text_member(json, "version", worker->version);
    json.end_object();
  }
  json.end_object();
  HttpCall call = post("/leases", json);
  call.timeout = wait + claim_margin;
  return call;
}

bool is_worker_command(const Command& command) {
  return std::visit([]<class Kind>(const Kind&) { return !route<Kind>.empty(); }, command);
}

HttpCall call_for(const Command& command) {
  return std::visit(
      []<class Kind>(const Kind& one) -> HttpCall {
        if constexpr (!route<Kind>.empty()) {
          JsonWriter json;
          json.begin_object();
          text_member(json, "leaseToken", to_text(one.token));
          members(json, one);
          json.end_object();
          return post("/jobs/" + to_text(one.job) + std::string(route<Kind>), json);
        } else {
          LONGSHORE_ASSERT(false, "the command is a worker's");
          return {};
        }
      },
      command);
}

bool fits_batch(const Command& command) {
  if (const auto* complete = std::get_if<Complete>(&command)) return complete->log.empty();
  if (const auto* fail = std::get_if<Fail>(&command)) return fail->log.empty();
  const auto* release = std::get_if<Release>(&command);
  return release != nullptr && !release->delay && !release->checkpoint && release->log.empty();
}

HttpCall call_for_batch(const std::vector<const Command*>& commands) {
  JsonWriter json;
  json.begin_object();
  json.name("outcomes");
  json.begin_array();
  for (const Command* command : commands) {
    json.element();
    json.begin_object();
    std::visit(
        [&json]<class Kind>(const Kind& one) {
          if constexpr (!route<Kind>.empty()) {
            text_member(json, "jobId", to_text(one.job));
            text_member(json, "leaseToken", to_text(one.token));
          }
          if constexpr (std::is_same_v<Kind, Complete>) raw_member(json, "result", one.result);
          if constexpr (std::is_same_v<Kind, Fail>) error_members(json, one);
          if constexpr (std::is_same_v<Kind, Release>) raw_member(json, "release", "true");
        },
        *command);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return post("/leases/settle", json);
}

}  // namespace longshore
