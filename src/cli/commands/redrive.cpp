#include "cli/client/bulk.h"
#include "cli/client/request_body.h"
#include "core/json/json_scan.h"

namespace longshore {
namespace {

constexpr BulkAction redrive = {.path = "/dead/redrive", .verb = "redrive", .past = "redriven"};

// The fields of the new job that differ from the old one.
Result<std::string> body_of(const Invocation& invocation) {
  RequestBody body(invocation);
  if (const auto payload = invocation.flag("--payload")) {
    if (!scan_json(*payload)) return Error{Errc::invalid, "--payload is not JSON"};
    body.raw("payload", *payload);
  }
  body.text("--to-queue", "queue");
  body.number("--priority", "priority");
  body.number("--max-retries", "maxRetries");
  body.duration("--timeout", "timeoutSeconds");
  body.duration("--delay", "delaySeconds");
  body.text("--run-at", "runAt");
  return body.take();
}

HttpCall call_for(const Invocation& invocation, const std::string& id) {
  const Result<std::string> body = body_of(invocation);
  return {.method = "POST", .path = "/jobs/" + id + "/redrive", .body = body ? *body : "{}"};
}

}  // namespace

ExitCode run_redrive(const Invocation& invocation) {
  const Result<std::string> body = body_of(invocation);
  if (!body) return usage_error(body.error().message);
  if (*body != "{}" && invocation.arguments.empty()) {
    return usage_error("flags that change the new job, such as --payload, need job IDs");
  }
  return act_on_chosen(invocation, redrive, call_for);
}

}  // namespace longshore
