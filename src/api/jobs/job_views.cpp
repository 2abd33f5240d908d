// Listing jobs, and reading everything about one job.
#include "api/api.h"
#include "api/errors/error_pages.h"
#include "api/jobs/explain.h"
#include "api/jobs/job_answers.h"
#include "api/jobs/job_calls.h"
#include "api/jobs/job_json.h"
#include "api/jobs/list_filter.h"
#include "api/jobs/routes.h"
#include "api/wire/calls.h"
#include "api/wire/query.h"
#include "core/record/list_page.h"
#include "core/record/state_filter.h"

namespace longshore {
namespace {

JobFilter read_list(Query& query, const Call& call) {
  JobFilter wanted = read_filter(query, call.caller.ns);
  wanted.query.limit = read_page_limit(query);
  wanted.query.before = read_page_cursor(query, parse_cursor);
  return wanted;
}

void answer_list(Api& api, const CallRef& call, JobFilter wanted) {
  api.read(
      call, ReadKind::scan, [&api, call, wanted = std::move(wanted)](Catalog& catalog) mutable {
        wanted.query.stop = api.stop_of(call);
        const Result<ListPage> page = wanted.fingerprint
                                          ? list_group(catalog, wanted.query, *wanted.fingerprint)
                                          : list_jobs(catalog, wanted.query);
        if (!page) return api.answer(call, api.problem_of(page.error()));
        api.answer(call, json_response(list_json(*page, *wanted.view)));
      });
}

// Answers the record as `write` formats it, or 304 if the client has this version.
void answer_record(Api& api, const CallRef& call, const JobId& id,
                   std::function<std::string(const JobRecord&)> write) {
  api.read(call, ReadKind::point, [&api, call, id, write = std::move(write)](Catalog& catalog) {
    const Result<JobRecord> record = catalog.get(call->caller.ns, id);
    if (!record) return api.answer(call, api.problem_of(record.error()));
    const std::string etag = etag_of(record->job);
    HttpResponse response{.headers = {{"ETag", etag}}};
    if (is_unchanged(call->request(), etag)) {
      response.status = 304;
      response.content_type.clear();
    } else {
      response.body = write(*record);
    }
    api.answer(call, std::move(response));
  });
}

void answer_in_view(Api& api, const CallRef& call,
                    std::string (*write)(const JobRecord&, const JobView&)) {
  Query query(*call);
  const JobView& view = read_view(query);
  const std::optional<JobId> id = job_in_path(api, call);
  if (!id) return;
  if (const auto problem = query.problem()) return api.answer(call, *problem);
  answer_record(api, call, *id,
                [write, &view](const JobRecord& record) { return write(record, view); });
}

Result<ExplainInput> explain_input_of(Api& api, Catalog& catalog, const std::string& ns,
                                      const JobId& id) {
  const Result<JobRecord> record = catalog.get(ns, id);
  if (!record) return record.error();
  const Result<Instant> now = catalog.now();
  if (!now) return now.error();
  const Result<std::vector<QueueView>> queues = catalog.queues(ns, record->job.queue, 1);
  if (!queues) return queues.error();
  const Result<std::vector<WorkerView>> workers = catalog.workers(ns);
  if (!workers) return workers.error();
  const Result<std::vector<MinuteRow>> minutes = catalog.minutes(ns, rates_since(*now));
  if (!minutes) return minutes.error();
  ExplainInput known{.job = record->job,
                     .error = record->error,
                     .workers = *workers,
                     .rules = *api.node().rules(),
                     .now = *now};
  for (const QueueView& queue : *queues) {
    if (queue.queue == record->job.queue) known.queue = queue;
  }
  const auto rates = rates_by_queue(*minutes, *now);
  if (const auto found = rates.find(record->job.queue); found != rates.end()) {
    known.rates = found->second;
  }
  // The job may have left its queue meanwhile; then it has no position.
  if (const auto ahead = catalog.ahead(ns, id, places_counted + 1)) known.ahead = *ahead;
  return known;
}

}  // namespace

void get_jobs(Api& api, CallRef call) {
  Query query(*call);
  JobFilter wanted = read_list(query, *call);
  if (const auto problem = query.problem()) return api.answer(call, *problem);
  answer_list(api, call, std::move(wanted));
}

void get_dead(Api& api, CallRef call) {
  Query query(*call);
  JobFilter wanted = read_list(query, *call);
  wanted.query.hide_redriven = !query.boolean("redriven").value_or(false);
  wanted.query.states = dead_letters_among(wanted.query.states);
  if (wanted.query.states.empty()) query.invalid("state", std::string(no_dead_letters_fault));
  if (const auto problem = query.problem()) return api.answer(call, *problem);
  answer_list(api, call, std::move(wanted));
}

void get_details(Api& api, CallRef call) { answer_in_view(api, call, details_json); }

void get_history(Api& api, CallRef call) { answer_in_view(api, call, history_json); }

void get_logs(Api& api, CallRef call) {
  const std::optional<JobId> id = job_in_path(api, call);
  if (!id || answered_for_query(api, call)) return;
  api.read(call, ReadKind::point, [&api, call, id = *id](Catalog& catalog) {
    const Result<std::vector<AttemptLog>> logs = catalog.logs(call->caller.ns, id);
    if (!logs) return api.answer(call, api.problem_of(logs.error()));
    api.answer(call, json_response(logs_json(*logs)));
  });
}

void get_explanation(Api& api, CallRef call) {
  const std::optional<JobId> id = job_in_path(api, call);
  if (!id || answered_for_query(api, call)) return;
  api.read(call, ReadKind::scan, [&api, call, id = *id](Catalog& catalog) {
    const Result<ExplainInput> known = explain_input_of(api, catalog, call->caller.ns, id);
    if (!known) return api.answer(call, api.problem_of(known.error()));
    api.answer(call, json_response(explanation_json(*known, explain(*known))));
  });
}

}  // namespace longshore
