#include <type_traits>

#include "client/wire/wire.h"
#include "core/assert.h"
#include "core/ids/lease_token.h"
#include "longshore/json.h"

namespace longshore {
namespace {

constexpr Duration claim_margin = Duration::seconds(15);  // for the answer's own way

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

void members(JsonWriter& json, const Heartbeat& word) {
  seconds_member(json, "extendSeconds", word.extend);
  if (word.progress) {
    json.name("progress");
    json.number(*word.progress);
  }
  if (word.checkpoint) raw_member(json, "checkpoint", *word.checkpoint);
  log_member(json, word.log);
}

void members(JsonWriter& json, const Complete& word) {
  raw_member(json, "result", word.result);
  log_member(json, word.log);
}

void members(JsonWriter& json, const Fail& word) {
  error_members(json, word);
  log_member(json, word.log);
}

void members(JsonWriter& json, const Release& word) {
  seconds_member(json, "delaySeconds", word.delay);
  if (word.checkpoint) raw_member(json, "checkpoint", *word.checkpoint);
  log_member(json, word.log);
}

void members(JsonWriter& json, const HandOff& word) {
  seconds_member(json, "timeoutSeconds", word.timeout);
}

template <class Word>
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

bool is_spoken(const Command& word) {
  return std::visit([]<class Word>(const Word&) { return !route<Word>.empty(); }, word);
}

HttpCall call_for(const Command& word) {
  return std::visit(
      []<class Word>(const Word& said) -> HttpCall {
        if constexpr (!route<Word>.empty()) {
          JsonWriter json;
          json.begin_object();
          text_member(json, "leaseToken", to_text(said.token));
          members(json, said);
          json.end_object();
          return post("/jobs/" + to_text(said.job) + std::string(route<Word>), json);
        } else {
          LONGSHORE_ASSERT(false, "the word is a worker's");
          return {};
        }
      },
      word);
}

bool fits_batch(const Command& word) {
  if (const auto* complete = std::get_if<Complete>(&word)) return complete->log.empty();
  if (const auto* fail = std::get_if<Fail>(&word)) return fail->log.empty();
  const auto* release = std::get_if<Release>(&word);
  return release != nullptr && !release->delay && !release->checkpoint && release->log.empty();
}

HttpCall call_for_batch(const std::vector<const Command*>& words) {
  JsonWriter json;
  json.begin_object();
  json.name("outcomes");
  json.begin_array();
  for (const Command* word : words) {
    json.element();
    json.begin_object();
    std::visit(
        [&json]<class Word>(const Word& said) {
          if constexpr (!route<Word>.empty()) {
            text_member(json, "jobId", to_text(said.job));
            text_member(json, "leaseToken", to_text(said.token));
          }
          if constexpr (std::is_same_v<Word, Complete>) raw_member(json, "result", said.result);
          if constexpr (std::is_same_v<Word, Fail>) error_members(json, said);
          if constexpr (std::is_same_v<Word, Release>) raw_member(json, "release", "true");
        },
        *word);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return post("/leases/settle", json);
}

}  // namespace longshore
