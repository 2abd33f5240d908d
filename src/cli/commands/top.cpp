#include <iostream>

#include "cli/client/filter.h"
#include "cli/client/json_row.h"
#include "cli/client/server_calls.h"
#include "cli/command.h"
#include "cli/terminal/figures.h"
#include "cli/terminal/output.h"
#include "cli/terminal/top_view.h"
#include "server/settings/duration_text.h"

namespace longshore {
namespace {

constexpr Duration default_interval = Duration::seconds(1);
constexpr Duration shortest_interval = Duration::millis(100);

struct Snapshot {
  std::vector<QueueRow> queues;
  std::string headline;
  std::string json;
};

std::string headline_of(const std::vector<QueueRow>& queues, const std::string& url,
                        std::size_t workers) {
  std::int64_t queued = 0;
  std::int64_t running = 0;
  std::int64_t dead = 0;
  double finished = 0;
  for (const QueueRow& row : queues) {
    queued += row.queued;
    running += row.running;
    dead += row.dead;
    finished += row.finished;
  }
  return url + "  " + count_text(queued) + " queued, " + count_text(running) + " running, " +
         count_text(dead) + " dead, " + rate_text(finished) + " done, " + std::to_string(workers) +
         (workers == 1 ? " worker" : " workers");
}

Result<Snapshot> fetch_snapshot(HttpClient& client) {
  Result<std::string> queues = fetch_queues(client);
  if (!queues) return queues.error();
  Result<HttpReply> workers = call_api(client, {.path = "/workers"});
  if (!workers) return workers.error();
  Snapshot seen{.queues = read_queues(*queues)};
  seen.headline =
      headline_of(seen.queues, client.url(), JsonRow(workers->body).list("workers").size());
  seen.json = "{\"queues\":" + std::string(JsonRow(*queues).raw("queues")) +
              ",\"workers\":" + std::string(JsonRow(workers->body).raw("workers")) + "}";
  return seen;
}

Result<TopOrder> order_of(const Invocation& invocation) {
  const std::string wanted = invocation.flag("--sort").value_or("queued");
  for (const TopOrder order : {TopOrder::name, TopOrder::queued, TopOrder::running, TopOrder::dead,
                               TopOrder::oldest, TopOrder::rate}) {
    if (to_text(order) == wanted) return order;
  }
  return Error{Errc::invalid, "unknown --sort column " + wanted};
}

void set_pause(HttpClient& client, TopView& view) {
  const QueueRow* queue = view.selected();
  if (queue == nullptr) return;
  const std::string verb = queue->paused ? "/resume" : "/pause";
  Result<HttpReply> reply =
      call_api(client, {.method = "POST", .path = "/queues/" + escaped(queue->name) + verb});
  if (!reply) view.show_error(reply.error().message);
}

void refresh(HttpClient& client, TopView& view) {
  Result<Snapshot> seen = fetch_snapshot(client);
  if (!seen) return view.show_error(seen.error().message);
  view.update(std::move(seen->queues), std::move(seen->headline));
}

ExitCode live(HttpClient& client, TopView& view, Duration interval) {
  RawTerminal terminal;
  Instant next = steady_now() + interval;
  while (!RawTerminal::is_to_end()) {
    terminal.show(view.text(screen()));
    const auto key = terminal.next_key(std::max(next - steady_now(), Duration()));
    const TopAction action = key ? view.press(*key) : TopAction::nothing;
    if (action == TopAction::quit) break;
    if (action == TopAction::pause_or_resume) set_pause(client, view);
    if (action == TopAction::nothing && steady_now() < next) continue;
    refresh(client, view);
    next = steady_now() + interval;
  }
  return ExitCode::done;
}

}  // namespace

ExitCode run_top(const Invocation& invocation) {
  const Result<TopOrder> order = order_of(invocation);
  if (!order) return usage_error(order.error().message);
  Duration interval = default_interval;
  if (const auto text = invocation.flag("--interval")) {
    const auto read = parse_duration(*text);
    if (!read || *read < shortest_interval || *read > Duration::minutes(1)) {
      return usage_error("--interval must be a duration from 100ms to 1m");
    }
    interval = *read;
  }
  Result<std::shared_ptr<HttpClient>> client = connect(invocation.settings);
  if (!client) return usage_error(client.error().message);
  Result<Snapshot> seen = fetch_snapshot(**client);
  if (!seen) return print_error(seen.error());
  if (format_of(invocation.settings) != Format::text) {
    std::cout << seen->json << "\n";
    return ExitCode::done;
  }
  const bool once = invocation.has("--once") || !screen().is_terminal || !can_prompt();
  if (once) {
    std::cout << seen->headline << "\n" << queue_table(seen->queues).text();
    return ExitCode::done;
  }
  TopView view(*order, invocation.flag("--filter").value_or(""));
  view.update(std::move(seen->queues), std::move(seen->headline));
  return live(**client, view, interval);
}

}  // namespace longshore
