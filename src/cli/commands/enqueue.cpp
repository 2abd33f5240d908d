#include <fstream>
#include <iostream>
#include <iterator>

#include "cli/client/await.h"
#include "cli/client/batch.h"
#include "cli/client/request_body.h"
#include "cli/client/server_calls.h"
#include "cli/command.h"
#include "cli/terminal/output.h"
#include "core/json/json_scan.h"

namespace longshore {
namespace {

Error usage(std::string message) { return {Errc::invalid, std::move(message)}; }

Result<std::string> payload_of(const Invocation& invocation) {
  const auto text = invocation.flag("--payload");
  const auto file = invocation.flag("--payload-file");
  if (text && file) return usage("--payload and --payload-file cannot both be set");
  std::string payload = text.value_or("null");
  if (text == "-") payload.assign(std::istreambuf_iterator<char>(std::cin), {});
  if (file) {
    std::ifstream in(*file, std::ios::binary);
    if (!in) return usage("cannot read " + *file);
    payload.assign(std::istreambuf_iterator<char>(in), {});
  }
  const auto scanned = scan_json(payload);
  if (!scanned) {
    return usage("the payload is not JSON: " + scanned.fault().what + " at byte " +
                 std::to_string(scanned.fault().offset) + "; quote a string twice: '\"text\"'");
  }
  return std::string(scanned->text);
}

Result<std::string> body_of(const Invocation& invocation) {
  Result<std::string> payload = payload_of(invocation);
  if (!payload) return payload;
  RequestBody body(invocation);
  body.string("jobType", invocation.arguments.front());
  body.raw("payload", *payload);
  body.text("--queue", "queue");
  body.number("--priority", "priority");
  body.duration("--delay", "delaySeconds");
  body.text("--run-at", "runAt");
  body.text("--expires-at", "expiresAt");
  body.text("--job-key", "jobKey");
  body.text("--idempotency-key", "idempotencyKey");
  body.text("--on-conflict", "onConflict");
  body.number("--max-retries", "maxRetries");
  body.duration("--timeout", "timeoutSeconds");
  body.tags();
  body.metadata();
  return body.take();
}

}  // namespace

ExitCode run_enqueue(const Invocation& invocation) {
  if (invocation.has("--batch")) return enqueue_batch(invocation);
  if (invocation.arguments.empty()) {
    return usage_error("JOB_TYPE is required");
  }
  Result<std::string> body = body_of(invocation);
  if (!body) return usage_error(body.error().message);
  const Result<std::optional<Duration>> wait = read_wait(invocation);
  if (!wait) return usage_error(wait.error().message);
  Result<std::shared_ptr<HttpClient>> client = connect(invocation.settings);
  if (!client) return usage_error(client.error().message);
  Result<HttpReply> reply =
      call_api(**client, {.method = "POST", .path = "/jobs", .body = std::move(*body)});
  if (!reply) return print_error(reply.error());
  const bool json = format_of(invocation.settings) != Format::text;
  const std::string id = member_of(reply->body, "jobId");
  const bool follow = invocation.has("--follow");
  if (!follow && !*wait) {
    std::cout << (json ? reply->body : id) << "\n";
    return ExitCode::done;
  }
  // Printed first: the job exists even if waiting for it fails.
  std::cerr << "Job " << id << std::endl;
  const Duration longest = wait->value_or(Duration::forever());
  if (!follow) return wait_and_print(**client, id, longest, json);
  const Result<Nothing> followed = follow_job(**client, id, longest);
  if (!followed) return print_error(followed.error());
  return wait_and_print(**client, id, Duration(), json);
}

}  // namespace longshore
