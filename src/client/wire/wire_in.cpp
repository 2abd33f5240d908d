#include "client/wire/members.h"
#include "client/wire/wire.h"
#include "core/ids/lease_token.h"

namespace longshore {
namespace {

std::optional<Lease> read_lease(std::string_view json) {
  const Members members(json);
  const auto job = parse_job_id(members.text("jobId"));
  const auto token = parse_lease_token(members.text("leaseToken"));
  const auto expires = members.time("leaseExpiresAt");
  const auto deadline = members.time("deadlineAt");
  if (!job || !token || !expires || !deadline) return std::nullopt;
  Lease lease{.job = *job,
              .token = *token,
              .type = members.text("jobType"),
              .job_key = members.text("jobKey"),
              .queue = members.text("queue"),
              .attempt = static_cast<int>(members.integer("attempt")),
              .failures = static_cast<int>(members.integer("failures")),
              .max_retries = static_cast<int>(members.integer("maxRetries")),
              .lease_expires_at = *expires,
              .deadline_at = *deadline,
              .created_at = members.time("createdAt").value_or(Instant())};
  lease.body = {.payload = members.find("payload") ? members.raw("payload") : "null",
                .metadata = members.raw("metadata"),
                .request = members.raw("request"),
                .traceparent = members.text("traceparent")};
  if (members.find("checkpoint")) lease.checkpoint = members.raw("checkpoint");
  if (members.find("lastError")) lease.last_error = read_error(members.raw("lastError"));
  return lease;
}

// A server-side problem: the command was not processed.
bool is_server_error(int status) { return status >= 500 || status == 429 || status == 408; }

std::optional<Verdict> read_settled(std::string_view json) {
  const Members members(json);
  const auto job = parse_job_id(members.text("jobId"));
  if (!job) return std::nullopt;
  if (const auto status = parse_status(members.text("status"))) {
    return Settled{.job = *job, .status = *status};
  }
  if (const auto code = parse_code(members.text("code"))) {
    return Refusal{.code = *code, .detail = members.text("detail")};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Code> parse_code(std::string_view text) {
  for (int i = 0; i <= static_cast<int>(Code::disk_full); ++i) {
    if (to_text(static_cast<Code>(i)) == text) return static_cast<Code>(i);
  }
  return std::nullopt;
}

std::optional<Status> parse_status(std::string_view text) {
  for (int i = 0; i <= static_cast<int>(Status::canceled); ++i) {
    if (to_text(static_cast<Status>(i)) == text) return static_cast<Status>(i);
  }
  return std::nullopt;
}

std::optional<Refusal> read_problem(const HttpReply& reply) {
  const Members members(reply.body);
  const auto code = parse_code(members.text("code"));
  if (!members.sound() || !code) return std::nullopt;
  Refusal refusal{.code = *code, .detail = members.text("detail")};
  if (refusal.detail.empty()) refusal.detail = members.text("title");
  refusal.job = parse_job_id(members.text("jobId"));
  return refusal;
}

Error error_of(const HttpReply& reply) {
  const auto refusal = read_problem(reply);
  Errc code = Errc::refused;
  if (is_server_error(reply.status)) code = Errc::unavailable;
  if (reply.status == 429) code = Errc::overloaded;
  if (reply.status == 404) code = Errc::not_found;
  if (reply.status == 400 || reply.status == 413 || reply.status == 422) code = Errc::invalid;
  if (!refusal) {
    return {code, "the server answered with status " + std::to_string(reply.status)};
  }
  return {code, std::string(to_text(refusal->code)) + ": " + refusal->detail, refusal->code};
}

Result<std::vector<Lease>> read_leases(const HttpReply& reply) {
  if (reply.status != 200) return error_of(reply);
  const Members members(reply.body);
  std::vector<JsonSlice> elements;
  const JsonSlice* listed = members.find("leases");
  if (listed == nullptr || !scan_array(listed->text, elements, json_depth_limit)) {
    return unexpected_response("list of leases");
  }
  std::vector<Lease> leases;
  for (const JsonSlice& element : elements) {
    auto lease = read_lease(element.text);
    if (!lease) return unexpected_response("lease");
    leases.push_back(std::move(*lease));
  }
  return leases;
}

Result<Verdict> read_verdict(const Command& command, const HttpReply& reply) {
  if (is_server_error(reply.status)) return error_of(reply);
  if (reply.status != 200) {
    if (auto refusal = read_problem(reply)) return Verdict(std::move(*refusal));
    return error_of(reply);
  }
  if (std::holds_alternative<Heartbeat>(command)) {
    const Members members(reply.body);
    const auto expires = members.time("leaseExpiresAt");
    if (!expires) return unexpected_response("heartbeat response");
    return Verdict(Beaten{.lease_expires_at = *expires,
                          .cancel_requested = members.raw("cancelRequested") == "true"});
  }
  if (auto settled = read_settled(reply.body)) return std::move(*settled);
  return unexpected_response("verdict");
}

Result<std::vector<Verdict>> read_verdicts(const HttpReply& reply, std::size_t count) {
  if (reply.status != 200) return error_of(reply);
  const Members members(reply.body);
  std::vector<JsonSlice> elements;
  const JsonSlice* listed = members.find("verdicts");
  const bool whole = listed != nullptr && scan_array(listed->text, elements).ok();
  if (!whole || elements.size() != count) return unexpected_response("list of verdicts");
  std::vector<Verdict> verdicts;
  for (const JsonSlice& element : elements) {
    auto verdict = read_settled(element.text);
    if (!verdict) return unexpected_response("verdict");
    verdicts.push_back(std::move(*verdict));
  }
  return verdicts;
}

}  // namespace longshore
