// Listing, pausing and resuming queues, and the statistics that are kept by queue.
#include "api/api.h"
#include "api/queues/queue_json.h"
#include "api/queues/routes.h"
#include "api/queues/stats_json.h"
#include "api/wire/calls.h"
#include "api/wire/query.h"
#include "core/rules/limits.h"
#include "core/text/names.h"

namespace longshore {
namespace {

struct Window {
  std::string_view name;
  Duration length;
};
constexpr std::array windows = {Window{"1h", Duration::hours(1)}, Window{"6h", Duration::hours(6)},
                                Window{"24h", Duration::hours(24)}};

const Window& read_window(Query& query) {
  const std::string text = query.text("window").value_or("1h");
  for (const Window& window : windows) {
    if (window.name == text) return window;
  }
  query.invalid("window", "must be 1h, 6h or 24h");
  return windows[0];
}

struct QueueFigures {
  std::vector<QueueView> queues;
  std::map<std::string, Rates> rates;
  Instant now;
  std::optional<std::string> next;  // the first queue of the next page
};

struct QueuePage {
  std::string from;
  int limit = page_limit_max;
};

Result<QueueFigures> figures_of(Catalog& catalog, const std::string& ns, const QueuePage& page) {
  const Result<Instant> now = catalog.now();
  if (!now) return now.error();
  Result<std::vector<QueueView>> queues = catalog.queues(ns, page.from, page.limit + 1);
  if (!queues) return queues.error();
  std::optional<std::string> next;
  if (std::ssize(*queues) > page.limit) {
    next = queues->back().queue;
    queues->pop_back();
  }
  const Result<std::vector<MinuteRow>> minutes = catalog.minutes(ns, rates_since(*now));
  if (!minutes) return minutes.error();
  return QueueFigures{std::move(*queues), rates_by_queue(*minutes, *now), *now, std::move(next)};
}

// The queue that the path names; nothing, and the call is answered, if the name is invalid.
std::optional<std::string> queue_in_path(Api& api, const CallRef& call) {
  const std::string& queue = call->parameters.at(0);
  if (const std::optional<std::string> fault = queue_fault(queue)) {
    api.answer(call, invalid_field("queue", *fault));
    return std::nullopt;
  }
  return queue;
}

void set_pause(Api& api, const CallRef& call, bool paused) {
  const std::optional<std::string> queue = queue_in_path(api, call);
  if (!queue || answered_for_body(api, call)) return;
  PauseQueue pause{
      .ns = call->caller.ns, .queue = *queue, .paused = paused, .actor = actor_of(*call)};
  api.submit(call, std::move(pause), [&api, call, queue = *queue, paused](const Verdict&) {
    if (!paused) api.node().engine().hint();  // wakes lease requests that wait for its jobs
    JsonOut out;
    out.open('{');
    out.member("queue", queue);
    out.member("paused", paused);
    out.close('}');
    api.answer(call, json_response(out.take()));
  });
}

}  // namespace

void get_queues(Api& api, CallRef call) {
  Query query(*call);
  QueuePage page;
  page.limit = read_page_limit(query, page_limit_max);
  page.from = read_page_cursor(query, parse_queue_cursor).value_or("");
  if (const auto problem = query.problem()) return api.answer(call, *problem);
  api.read(call, ReadKind::scan, [&api, call, page](Catalog& catalog) {
    const Result<QueueFigures> figures = figures_of(catalog, call->caller.ns, page);
    if (!figures) return api.answer(call, api.problem_of(figures.error()));
    api.answer(call, json_response(queues_json(figures->queues, figures->rates, figures->now,
                                               figures->next)));
  });
}

void get_stats(Api& api, CallRef call) {
  Query query(*call);
  const Window& window = read_window(query);
  StatsQuery wanted{.name = window.name, .window = window.length};
  wanted.queue = query.text("queue", queue_fault);
  wanted.type = query.text("jobType", any_job_type_fault);
  if (const auto problem = query.problem()) return api.answer(call, *problem);
  api.read(call, ReadKind::scan, [&api, call, wanted = std::move(wanted)](Catalog& catalog) {
    const Result<Instant> now = catalog.now();
    if (!now) return api.answer(call, api.problem_of(now.error()));
    const Result<std::vector<MinuteRow>> rows =
        catalog.minutes(call->caller.ns, stats_since(wanted.window, *now));
    if (!rows) return api.answer(call, api.problem_of(rows.error()));
    api.answer(call, json_response(stats_json(wanted, *rows, *now)));
  });
}

void post_pause(Api& api, CallRef call) { set_pause(api, call, true); }
void post_resume(Api& api, CallRef call) { set_pause(api, call, false); }

}  // namespace longshore
