#include <iostream>

#include "cli/client/filter.h"
#include "cli/client/json_row.h"
#include "cli/client/queue_rows.h"
#include "cli/client/server_calls.h"
#include "cli/command.h"
#include "cli/terminal/output.h"

namespace longshore {
namespace {

ExitCode set_pause(const Invocation& invocation, const std::string& verb) {
  Result<std::shared_ptr<HttpClient>> client = connect(invocation.settings);
  if (!client) return usage_error(client.error().message);
  for (const std::string& queue : invocation.arguments) {
    Result<HttpReply> reply =
        call_api(**client, {.method = "POST", .path = "/queues/" + escaped(queue) + "/" + verb});
    if (!reply) return print_error(reply.error());
    if (format_of(invocation.settings) != Format::text) {
      std::cout << reply->body << "\n";
    } else {
      std::cout << "Queue \"" << queue << (verb == "pause" ? "\" paused" : "\" resumed") << "\n";
    }
  }
  return ExitCode::done;
}

}  // namespace

ExitCode run_queues(const Invocation& invocation) {
  Result<std::shared_ptr<HttpClient>> client = connect(invocation.settings);
  if (!client) return usage_error(client.error().message);
  Result<std::string> reply = fetch_queues(**client);
  if (!reply) return print_error(reply.error());
  const Format format = format_of(invocation.settings);
  if (format != Format::text) {
    const JsonRow answer(*reply);
    const auto queues = answer.list("queues");
    print_list(format, "queues", {queues.begin(), queues.end()});
    return ExitCode::done;
  }
  const std::vector<QueueRow> rows = read_queues(*reply);
  std::cout << queue_table(rows).text();
  if (rows.empty()) std::cerr << "No queues" << std::endl;
  return ExitCode::done;
}

ExitCode run_queues_pause(const Invocation& invocation) { return set_pause(invocation, "pause"); }
ExitCode run_queues_resume(const Invocation& invocation) { return set_pause(invocation, "resume"); }

}  // namespace longshore
