#include <iostream>

#include "cli/client/await.h"
#include "cli/client/server_calls.h"
#include "cli/command.h"
#include "cli/terminal/job_text.h"
#include "cli/terminal/output.h"
#include "cli/terminal/terminal.h"

namespace longshore {
namespace {

// Prints the operator's view of a job. Without that permission, prints the public part, unless
// --view was given, which needs fields that the public part lacks.
Result<std::string> details_text(HttpClient& client, const std::string& id, const std::string& job,
                                 const std::string& view) {
  Result<HttpReply> details = call_api(client, {.path = "/jobs/" + id + "/details"});
  Result<HttpReply> history = call_api(client, {.path = "/jobs/" + id + "/history"});
  if (!details && !view.empty()) return details.error();
  if (!details || !history) return job_text(job, screen().colours);
  JobReplies replies{.details = details->body, .history = history->body, .view = view};
  if (Result<HttpReply> reason = call_api(client, {.path = "/jobs/" + id + "/explain"})) {
    replies.summary = member_of(reason->body, "summary");
  }
  return job_details_text(replies, screen().colours);
}

ExitCode print_details(HttpClient& client, const std::string& id, const std::string& view) {
  const std::string words = view.empty() ? "" : "?view=" + view;
  Result<HttpReply> details = call_api(client, {.path = "/jobs/" + id + "/details" + words});
  if (!details) return print_error(details.error());
  std::cout << details->body << "\n";
  return ExitCode::done;
}

ExitCode show(const Invocation& invocation, HttpClient& client, const std::string& id,
              const std::string& job) {
  const bool people = format_of(invocation.settings) == Format::text;
  const std::string view = invocation.flag("--view").value_or("");
  if (people) {
    const Result<std::string> text = details_text(client, id, job, view);
    if (!text) return print_error(text.error());
    std::cout << *text;
  } else if (invocation.has("--details") || !view.empty()) {
    const ExitCode code = print_details(client, id, view);
    if (code != ExitCode::done) return code;
  } else {
    std::cout << job << "\n";
  }
  const bool awaited = invocation.has("--wait") || invocation.has("--follow");
  return awaited ? exit_code_of_job(job) : ExitCode::done;
}

}  // namespace

ExitCode run_get(const Invocation& invocation) {
  const std::string& id = invocation.arguments.front();
  if (!parse_job_id(id)) return print_error({Errc::not_found, "\"" + id + "\" is not a job ID"});
  if (invocation.has("--result") && invocation.has("--view")) {
    return usage_error("--result and --view cannot both be set");
  }
  const Result<std::optional<Duration>> wait = read_wait(invocation);
  if (!wait) return usage_error(wait.error().message);
  Result<std::shared_ptr<HttpClient>> client = connect(invocation.settings);
  if (!client) return usage_error(client.error().message);
  Duration longest = wait->value_or(Duration());
  if (invocation.has("--follow")) {
    const Result<Nothing> followed = follow_job(**client, id, wait->value_or(Duration::forever()));
    if (!followed) return print_error(followed.error());
    longest = Duration();
  }
  if (invocation.has("--result")) return wait_and_print(**client, id, longest, false);
  Result<std::string> job = wait_for_job(**client, id, longest);
  if (!job) return print_error(job.error());
  return show(invocation, **client, id, *job);
}

}  // namespace longshore
