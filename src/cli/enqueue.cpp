#include <charconv>
#include <fstream>
#include <iostream>
#include <iterator>

#include "cli/command.h"
#include "cli/server_calls.h"
#include "core/json_scan.h"
#include "longshore/json.h"
#include "server/duration_text.h"

namespace longshore {
namespace {

Error usage(std::string message) { return {Errc::invalid, std::move(message)}; }

Result<std::string> payload_of(const Invocation& invocation) {
  const auto text = invocation.flag("--payload");
  const auto file = invocation.flag("--payload-file");
  if (text && file) return usage("--payload and --payload-file: one of them is enough");
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
                 std::to_string(scanned.fault().offset) +
                 "; a text needs quotes of its own: '\"text\"'");
  }
  return std::string(scanned->text);
}

// The body of POST /jobs, member by member; remembers the first flag that was wrong.
class Body {
 public:
  explicit Body(const Invocation& invocation) : invocation_(invocation) { json_.begin_object(); }

  void text(std::string_view flag, std::string_view member) {
    if (const auto value = invocation_.flag(flag)) string(member, *value);
  }
  void string(std::string_view member, std::string_view value) {
    json_.name(member);
    json_.string(value);
  }
  void raw(std::string_view member, std::string_view value) {
    json_.name(member);
    json_.raw(value);
  }
  void number(std::string_view flag, std::string_view member) {
    const auto value = invocation_.flag(flag);
    if (!value) return;
    std::int64_t number = 0;
    const char* const end = value->data() + value->size();
    const auto [rest, fault] = std::from_chars(value->data(), end, number);
    if (fault != std::errc() || rest != end) return complain(flag, "takes a whole number");
    json_.name(member);
    json_.integer(number);
  }
  void duration(std::string_view flag, std::string_view member) {
    const auto value = invocation_.flag(flag);
    if (!value) return;
    const auto duration = parse_duration(*value);
    if (!duration || *duration == Duration::forever()) {
      return complain(flag, "takes a duration, such as 90s, 5m or 12h");
    }
    json_.name(member);
    json_.number(duration->in_seconds());
  }
  void tags() {
    const auto found = invocation_.flags.find("--tag");
    if (found == invocation_.flags.end()) return;
    json_.name("tags");
    json_.begin_array();
    for (const std::string& tag : found->second) {
      json_.element();
      json_.string(tag);
    }
    json_.end_array();
  }
  void metadata() {
    const auto found = invocation_.flags.find("--metadata");
    if (found == invocation_.flags.end()) return;
    json_.name("metadata");
    json_.begin_object();
    for (const std::string& pair : found->second) {
      const std::size_t equals = pair.find('=');
      if (equals == std::string::npos) return complain("--metadata", "takes NAME=VALUE");
      string(pair.substr(0, equals), pair.substr(equals + 1));
    }
    json_.end_object();
  }

  Result<std::string> take() {
    if (fault_) return *fault_;
    if (json_.fault()) return usage(*json_.fault());
    json_.end_object();
    return json_.take();
  }

 private:
  void complain(std::string_view flag, std::string_view what) {
    if (!fault_) fault_ = usage(std::string(flag) + " " + std::string(what));
  }

  const Invocation& invocation_;
  JsonWriter json_;
  std::optional<Error> fault_;
};

Result<std::string> body_of(const Invocation& invocation) {
  Result<std::string> payload = payload_of(invocation);
  if (!payload) return payload;
  Body body(invocation);
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

// Prints what became of the job, and says so with the exit code.
ExitCode wait_and_print(HttpClient& client, const std::string& id, Duration longest, bool json) {
  Result<std::string> job = wait_for_job(client, id, longest);
  if (!job) return complain(job.error());
  const ExitCode code = exit_code_of_job(*job);
  if (json) {
    std::cout << *job << "\n";
    return code;
  }
  Result<HttpReply> result = ask(client, {.path = "/jobs/" + id + "/result"});
  if (!result) {
    complain(result.error());
    return code == ExitCode::done ? exit_code_of(result.error()) : code;
  }
  if (code == ExitCode::failed) {
    std::cerr << "error: job " << id << " has not ended yet" << std::endl;
  } else {
    std::cout << result->body << "\n";
  }
  return code;
}

}  // namespace

ExitCode run_enqueue(const Invocation& invocation) {
  Result<std::string> body = body_of(invocation);
  if (!body) return complain_usage(body.error().message);
  std::optional<Duration> wait;
  if (const auto text = invocation.flag("--wait")) {
    wait = parse_duration(*text);
    if (!wait) return complain_usage("--wait takes a duration, such as 90s, 5m or never");
  }
  Result<std::shared_ptr<HttpClient>> client = connect(invocation.settings);
  if (!client) return complain_usage(client.error().message);
  Result<HttpReply> reply =
      ask(**client, {.method = "POST", .path = "/jobs", .body = std::move(*body)});
  if (!reply) return complain(reply.error());
  const bool json = invocation.settings.boolean("json");
  const std::string id = member_of(reply->body, "jobId");
  if (wait) return wait_and_print(**client, id, *wait, json);
  std::cout << (json ? reply->body : id) << "\n";
  return ExitCode::done;
}

ExitCode run_get(const Invocation& invocation) {
  const std::string& id = invocation.arguments.front();
  if (!parse_job_id(id)) return complain({Errc::not_found, "\"" + id + "\" is no job's id"});
  std::optional<Duration> wait = Duration();
  if (const auto text = invocation.flag("--wait")) {
    wait = parse_duration(*text);
    if (!wait) return complain_usage("--wait takes a duration, such as 90s, 5m or never");
  }
  Result<std::shared_ptr<HttpClient>> client = connect(invocation.settings);
  if (!client) return complain_usage(client.error().message);
  const bool json = invocation.settings.boolean("json");
  if (invocation.has("--result")) return wait_and_print(**client, id, *wait, false);
  Result<std::string> job = wait_for_job(**client, id, *wait);
  if (!job) return complain(job.error());
  if (json) {
    std::cout << *job << "\n";
  } else {
    for (const std::string_view name :
         {"jobId", "jobType", "status", "createdAt", "updatedAt", "runAt", "startedAt",
          "completedAt", "progress", "cancelRequested", "successorId"}) {
      const std::string value = member_of(*job, name);
      if (!value.empty()) std::cout << name << std::string(17 - name.size(), ' ') << value << "\n";
    }
  }
  return invocation.has("--wait") ? exit_code_of_job(*job) : ExitCode::done;
}

}  // namespace longshore
