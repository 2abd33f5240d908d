// Listing workers.
#include "api/api.h"
#include "api/leases/lease_json.h"
#include "api/leases/routes.h"
#include "api/wire/calls.h"
#include "api/wire/json_out.h"

namespace longshore {
namespace {

void write_texts(JsonOut& out, std::string_view name, const std::vector<std::string>& texts) {
  out.key(name);
  out.open('[');
  for (const std::string& text : texts) out.value(text);
  out.close(']');
}

void write_worker(JsonOut& out, const WorkerView& worker) {
  out.open('{');
  out.member("workerId", worker.info.worker);
  write_texts(out, "queues", worker.info.queues);
  if (worker.info.types.empty()) {
    out.member("jobTypes", nullptr);
  } else {
    write_texts(out, "jobTypes", worker.info.types);
  }
  out.member("slots", worker.info.slots);
  out.text_or_null("host", worker.info.host);
  out.text_or_null("version", worker.info.version);
  out.member("lastSeenAt", worker.seen_at);
  out.key("jobs");
  out.open('[');
  for (const JobId& job : worker.jobs) out.value(job);
  out.close(']');
  out.close('}');
}

}  // namespace

std::string workers_json(const std::vector<WorkerView>& workers) {
  JsonOut out;
  out.open('{');
  out.key("workers");
  out.open('[');
  for (const WorkerView& worker : workers) write_worker(out, worker);
  out.close(']');
  out.close('}');
  return out.take();
}

void get_workers(Api& api, CallRef call) {
  if (answered_for_query(api, call)) return;
  api.read(call, ReadKind::scan, [&api, call](Catalog& catalog) {
    const Result<std::vector<WorkerView>> workers = catalog.workers(call->caller.ns);
    if (!workers) return api.answer(call, api.problem_of(workers.error()));
    api.answer(call, json_response(workers_json(*workers)));
  });
}

}  // namespace longshore
