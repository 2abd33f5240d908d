// Queues, workers, errors and figures; and what operators do to a queue or to the whole store.
#include "api/queues/error_pages.h"
#include "api/queues/views_json.h"
#include "api/server/operator_calls.h"
#include "api/server/operator_routes.h"
#include "api/wire/query.h"
#include "core/text/names.h"

namespace longshore {
namespace {

constexpr int groups_max = 500;
constexpr int queues_max = 500;

// Answers what `write` makes of one reading of the catalog.
template <class Read, class Write>
void answer_view(Api& api, const CallRef& call, Read read, Write write) {
  api.read(call, ReadKind::scan, [&api, call, read, write](Catalog& catalog) {
    auto view = read(catalog);
    if (!view) return api.answer(call, api.problem_of(view.error()));
    api.answer(call, json_response(write(*view)));
  });
}

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

std::optional<std::string> read_name(Query& query, std::string_view name, NameFault fault_of) {
  std::optional<std::string> text = query.text(name);
  if (!text) return std::nullopt;
  if (std::optional<std::string> fault = fault_of(*text)) query.invalid(name, *fault);
  return text;
}

struct QueueFigures {
  std::vector<QueueView> queues;
  std::map<std::string, Rates> rates;
  Instant now;
  std::optional<std::string> next;  // where the page behind it begins
};

struct QueuePage {
  std::string from;
  int limit = queues_max;
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

void set_pause(Api& api, const CallRef& call, bool paused) {
  const std::optional<std::string> queue = queue_in_path(api, call);
  if (!queue || answered_for_body(api, call)) return;
  PauseQueue pause{
      .ns = call->caller.ns, .queue = *queue, .paused = paused, .actor = actor_of(*call)};
  api.submit(call, std::move(pause), [&api, call, queue = *queue, paused](const Verdict&) {
    if (!paused) api.node().engine().hint();  // a poll that waits for its jobs
    JsonOut out;
    out.open('{');
    out.member("queue", queue);
    out.member("paused", paused);
    out.close('}');
    api.answer(call, json_response(out.take()));
  });
}

}  // namespace

void get_errors(Api& api, CallRef call) {
  Query query(*call);
  const auto limit = static_cast<std::size_t>(query.integer("limit", 1, groups_max).value_or(50));
  std::optional<GroupPlace> after;
  if (const auto text = query.text("cursor")) {
    after = parse_group_cursor(*text);
    if (!after) query.invalid("cursor", "must be the nextCursor of a page before");
  }
  if (const auto problem = query.problem()) return api.answer(call, *problem);
  answer_view(
      api, call,
      [ns = call->caller.ns, limit, after](Catalog& catalog) {
        return error_page(catalog, ns, limit, after);
      },
      error_page_json);
}

void get_queues(Api& api, CallRef call) {
  Query query(*call);
  QueuePage page;
  page.limit = static_cast<int>(query.integer("limit", 1, queues_max).value_or(queues_max));
  if (const auto text = query.text("cursor")) {
    const std::optional<std::string> from = parse_queue_cursor(*text);
    if (!from) query.invalid("cursor", "must be the nextCursor of a page before");
    page.from = from.value_or("");
  }
  if (const auto problem = query.problem()) return api.answer(call, *problem);
  answer_view(
      api, call,
      [ns = call->caller.ns, page](Catalog& catalog) { return figures_of(catalog, ns, page); },
      [](const QueueFigures& figures) {
        return queues_json(figures.queues, figures.rates, figures.now, figures.next);
      });
}

void get_workers(Api& api, CallRef call) {
  if (answered_for_query(api, call)) return;
  answer_view(
      api, call, [ns = call->caller.ns](Catalog& catalog) { return catalog.workers(ns); },
      workers_json);
}

void get_stats(Api& api, CallRef call) {
  Query query(*call);
  const Window& window = read_window(query);
  StatsQuestion question{.name = window.name, .window = window.length};
  question.queue = read_name(query, "queue", queue_fault);
  question.type = read_name(query, "jobType", any_job_type_fault);
  if (const auto problem = query.problem()) return api.answer(call, *problem);
  api.read(call, ReadKind::scan, [&api, call, question = std::move(question)](Catalog& catalog) {
    const Result<Instant> now = catalog.now();
    if (!now) return api.answer(call, api.problem_of(now.error()));
    const Result<std::vector<MinuteRow>> rows =
        catalog.minutes(call->caller.ns, stats_since(question.window, *now));
    if (!rows) return api.answer(call, api.problem_of(rows.error()));
    api.answer(call, json_response(stats_json(question, *rows, *now)));
  });
}

void post_pause(Api& api, CallRef call) { set_pause(api, call, true); }
void post_resume(Api& api, CallRef call) { set_pause(api, call, false); }

}  // namespace longshore
