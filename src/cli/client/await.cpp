#include "cli/client/await.h"

#include <chrono>
#include <iostream>
#include <thread>

#include "cli/client/json_row.h"
#include "cli/client/server_calls.h"
#include "cli/terminal/figures.h"
#include "cli/terminal/job_text.h"
#include "client/http/event_reader.h"
#include "client/wire/wire.h"
#include "server/settings/duration_text.h"

namespace longshore {
namespace {

constexpr Duration silence_max = Duration::seconds(60);  // the server sends events more often
constexpr int disconnects_in_a_row_max = 20;
constexpr auto reconnect_delay = std::chrono::milliseconds(500);

// Prints the events of a job and remembers the ID of the last one.
class Events {
 public:
  void read(std::string_view piece) { reader_.read(piece); }
  void restart() { reader_.restart(); }

  const std::string& last_id() const { return last_id_; }
  bool ended() const { return ended_; }

 private:
  void show(const JsonRow& step) {
    const std::string to = step.text("to");
    const bool colours = errors_reach_terminal() && screen().colours;
    std::cerr << step.text("at") << "  " << painted(to, colour_of_state(to), colours) << "  "
              << step.text("cause");
    const JsonRow error = step.row("error");
    if (const std::string code = error.text("code"); !code.empty()) {
      std::cerr << "  " << sanitized(code + ": " + error.text("message"));
    }
    std::cerr << std::endl;
    const auto status = parse_status(step.text("status"));
    ended_ = status && *status != Status::pending && *status != Status::running;
  }

  EventReader reader_{[this](std::string_view id, std::string_view data) {
    if (!id.empty()) last_id_ = id;
    show(JsonRow(data));
  }};
  std::string last_id_;
  bool ended_ = false;
};

}  // namespace

Result<std::optional<Duration>> read_wait(const Invocation& invocation) {
  const auto text = invocation.flag("--wait");
  if (!text) return std::optional<Duration>();
  const auto wait = parse_duration(*text);
  if (!wait) return Error{Errc::invalid, "--wait must be a duration, such as 90s, 5m or never"};
  return wait;
}

ExitCode wait_and_print(HttpClient& client, const std::string& id, Duration longest, bool json) {
  Result<std::string> job = wait_for_job(client, id, longest);
  if (!job) return print_error(job.error());
  const ExitCode code = exit_code_of_job(*job);
  if (json) {
    std::cout << *job << "\n";
    return code;
  }
  Result<HttpReply> result = call_api(client, {.path = "/jobs/" + id + "/result"});
  if (!result) {
    print_error(result.error());
    return code == ExitCode::done ? exit_code_of(result.error()) : code;
  }
  if (code == ExitCode::failed) {
    std::cerr << "error: job " << id << " has not ended yet" << std::endl;
  } else {
    std::cout << result->body << "\n";
  }
  return code;
}

Result<Nothing> follow_job(HttpClient& client, const std::string& id, Duration longest) {
  const Instant until = steady_now() + longest;
  Events events;
  int disconnects = 0;
  while (!events.ended()) {
    const Duration left = until - steady_now();
    if (left <= Duration()) return Error{Errc::refused, "job " + id + " has not ended yet"};
    HttpCall call{.path = "/jobs/" + id + "/events", .timeout = std::min(silence_max, left)};
    if (!events.last_id().empty()) call.headers.emplace_back("Last-Event-ID", events.last_id());
    const std::string before = events.last_id();
    call.on_body = [&events](std::string_view piece) { events.read(piece); };
    events.restart();
    Result<HttpReply> reply = client.send(call);
    if (reply && reply->status != 200) return error_of(*reply);
    if (events.ended()) break;
    disconnects = events.last_id() == before ? disconnects + 1 : 0;
    if (disconnects > disconnects_in_a_row_max) {
      return reply ? Error{Errc::unavailable, "the server keeps closing the event stream early"}
                   : reply.error();
    }
    if (disconnects > 0 && before.empty() && !reply) return reply.error();
    std::this_thread::sleep_for(reconnect_delay);
  }
  return Nothing();
}

}  // namespace longshore
