#include "store/postgres/read/audit.h"

#include <string>
#include <utility>

#include "core/record/soundness.h"
#include "core/rules/enqueue.h"
#include "store/postgres/connection/values.h"
#include "store/postgres/read/catalog.h"
#include "store/postgres/write/placement.h"

namespace longshore::postgres {
namespace {

constexpr std::size_t findings_max = 1000;

// A question whose every row is a contradiction, in words.
struct Question {
  const char* rule;
  Sql sql;
};

constexpr Question questions[] = {
    {"job-twice", {"SELECT id || ' is both live and done' FROM @live JOIN @done USING (id)"}},
    {"ended-among-live", {"SELECT id || ' has ended but is live' FROM @live WHERE state > 5"}},
    {"living-among-done", {"SELECT id || ' has not ended but is done' FROM @done WHERE state < 6"}},
    {"body-missing",
     {"SELECT id || ' has no body' FROM @every_job AS job "
      "WHERE NOT EXISTS (SELECT FROM @body AS body WHERE body.id = job.id)"}},
    {"body-stray",
     {"SELECT id || ' is a body without a job' FROM @body AS body "
      "WHERE NOT EXISTS (SELECT FROM @every_job AS job WHERE job.id = body.id)"}},
    {"checkpoint-unlike-job",
     {"SELECT coalesce(job.id, kept.id) || ' and its checkpoint do not agree' FROM "
      "(SELECT id, checkpoint_bytes FROM @every_job WHERE checkpoint_bytes IS NOT NULL) AS job "
      "FULL JOIN @checkpoint AS kept ON kept.id = job.id WHERE kept.id IS NULL OR "
      "job.id IS NULL OR job.checkpoint_bytes <> octet_length(kept.value)"}},
    {"failure-stray",
     {"SELECT DISTINCT id || ' is a failure without a job' FROM @failure AS part "
      "WHERE NOT EXISTS (SELECT FROM @every_job AS job WHERE job.id = part.id)"}},
    {"log-stray",
     {"SELECT DISTINCT id || ' is a log without a job' FROM @log AS part "
      "WHERE NOT EXISTS (SELECT FROM @every_job AS job WHERE job.id = part.id)"}},
    {"number-twice",
     {"SELECT 'number ' || number || ' was given out twice' FROM @every_job "
      "GROUP BY number HAVING count(*) > 1"}},
    {"order-twice",
     {"SELECT 'order ' || ord || ' of two queued jobs' FROM @live WHERE state = 2 "
      "GROUP BY ord HAVING count(*) > 1"}},
    {"ready-missing",
     {"SELECT id || ' is queued but not ready' FROM @live AS job WHERE state = 2 AND NOT EXISTS "
      "(SELECT FROM @ready AS place WHERE place.ns = job.ns AND place.queue = job.queue AND "
      "place.priority = job.priority AND place.ord = job.ord AND place.job = job.id AND "
      "place.type = job.type)"}},
    {"ready-stray",
     {"SELECT job || ' is ready but not queued there' FROM @ready AS place WHERE NOT EXISTS "
      "(SELECT FROM @live AS job WHERE job.id = place.job AND job.state = 2 AND "
      "place.ns = job.ns AND place.queue = job.queue AND place.priority = job.priority AND "
      "place.ord = job.ord)"}},
    {"lease-missing",
     {"SELECT id || ' is held but not listed' FROM @live AS job WHERE state IN (3, 4) AND "
      "NOT EXISTS (SELECT FROM @held AS held WHERE held.job = job.id AND held.claim = job.claim "
      "AND held.ns = job.ns AND held.queue = job.queue AND held.type = job.type AND "
      "held.running = (job.state = 3))"}},
    {"lease-without-running-job",
     {"SELECT job || ' is listed as held but is not' FROM @held AS held WHERE NOT EXISTS "
      "(SELECT FROM @live AS job WHERE job.id = held.job AND job.claim = held.claim AND "
      "job.state IN (3, 4))"}},
    {"live-key-missing",
     {"SELECT id || ' is live but does not hold its key' FROM @live AS job WHERE job_key IS NOT "
      "NULL AND NOT EXISTS (SELECT FROM @live_key AS known WHERE known.ns = job.ns AND "
      "known.type = job.type AND known.key = job.job_key AND known.job = job.id)"}},
    {"live-key-stray",
     {"SELECT known.job || ' holds a key that is not its own' FROM @live_key AS known WHERE "
      "NOT EXISTS (SELECT FROM @live AS job WHERE job.id = known.job AND known.ns = job.ns AND "
      "known.type = job.type AND known.key = job.job_key)"}},
    {"timer-stray",
     {"SELECT job || ' has a timer of kind ' || kind || ' and is not there' FROM @timer AS timer "
      "WHERE NOT EXISTS (SELECT FROM @live AS job WHERE job.id = timer.job AND CASE kind "
      "WHEN 0 THEN job.state IN (1, 5) AND timer.at = least(job.run_at, job.expires_at) "
      "WHEN 1 THEN job.state IN (0, 1, 2, 5) AND timer.at = job.expires_at "
      "ELSE job.state = 0 AND timer.at = job.created_at END)"}},
    {"timer-missing",
     {"SELECT id || ' waits for a time that nobody watches' FROM @live AS job WHERE "
      "(state IN (1, 5) AND NOT EXISTS (SELECT FROM @timer WHERE kind = 0 AND job = id AND "
      "at = least(run_at, expires_at))) OR (state IN (0, 1, 2, 5) AND expires_at IS NOT NULL AND "
      "NOT EXISTS (SELECT FROM @timer WHERE kind = 1 AND job = id AND at = expires_at)) OR "
      "(state = 0 AND NOT EXISTS (SELECT FROM @timer WHERE kind = 2 AND job = id AND "
      "at = created_at))"}},
    {"count-wrong",
     {"SELECT encode(ns, 'escape') || '/' || encode(queue, 'escape') || ' counts ' || counted || "
      "' in state ' || state || ' but has ' || there FROM (SELECT ns, queue, state, "
      "sum(counted) AS counted, sum(there) AS there FROM (SELECT ns, queue, CASE WHEN state = 7 "
      "AND coalesce(@course_number(course, 6), 0) & 2 <> 0 THEN 8 ELSE state END AS state, "
      "0 AS counted, 1 AS there FROM @every_job UNION ALL SELECT ns, queue, state, counted, 0 FROM "
      "@tally, "
      "LATERAL (VALUES (0, created), (1, scheduled), (2, queued), (3, running), (4, waiting), "
      "(5, retry), (6, success), (7, dead), (8, canceled)) AS each(state, counted)) AS both_sides "
      "GROUP BY ns, queue, state) AS sums WHERE counted <> there"}},
    {"idempotency-key-astray",
     {"SELECT encode(key, 'escape') || ' and the end of its job do not agree' FROM @idempotency "
      "AS known WHERE (gone_after IS NULL) <> EXISTS "
      "(SELECT FROM @every_job AS job WHERE job.id = known.job)"}},
    {"idempotency-key-unlisted",
     {"SELECT encode(key, 'escape') || ' is named neither by its job nor beside it' FROM "
      "@idempotency AS known WHERE gone_after IS NULL AND NOT EXISTS (SELECT FROM @every_job AS "
      "job WHERE job.id = known.job AND job.idempotency_key = known.key) AND NOT EXISTS "
      "(SELECT FROM @bound_key AS bound WHERE bound.job = known.job AND bound.ns = known.ns AND "
      "bound.platform = known.platform AND bound.key = known.key)"}},
    {"bound-key-stray",
     {"SELECT encode(key, 'escape') || ' is listed for a job it does not lead to' FROM @bound_key "
      "AS bound WHERE NOT EXISTS (SELECT FROM @idempotency AS known WHERE bound.job = known.job "
      "AND bound.ns = known.ns AND bound.platform = known.platform AND bound.key = known.key)"}},
};

constexpr Sql leads_to = {
    "SELECT job FROM @idempotency WHERE ns = $1 AND platform = $2 AND key = $3"};
constexpr Sql wakes = {"SELECT wakes_at FROM @held WHERE claim = $1 AND job = $2"};

void find(Audit& audit, const std::string& rule, std::string what) {
  if (audit.findings.size() < findings_max) audit.findings.push_back({rule, std::move(what)});
}

// A job's own key leads to it.
void check_key(Reader& reader, const Job& job, Audit& audit) {
  if (job.idempotency_key.empty()) return;
  Parameters parameters;
  parameters.add(job.ns).add(is_platform_type(job.type)).add(job.idempotency_key);
  RowSet row = reader.connection.ask(leads_to, std::move(parameters));
  if (row.next() && row.id<JobId>() == job.id) return;
  find(audit, "idempotency-key-unbound",
       to_text(job.id) + " brought a key that does not lead to it");
}

// When the clock acts on a held job is a rule of core, which SQL does not know.
void check_end(Reader& reader, const Job& job, const Rules& rules, Audit& audit) {
  const Placement standing = placement_of(job, rules);
  if (!standing.held) return;
  Parameters parameters;
  parameters.add(job.claim).add(job.id);
  RowSet row = reader.connection.ask(wakes, std::move(parameters));
  if (row.next() && row.instant() == standing.held->wakes_at) return;
  find(audit, "lease-end-wrong", to_text(job.id) + " is listed with another end than its own");
}

Result<std::optional<JobId>> check_page(Reader& reader, const Rules& rules, const JobId& after,
                                        Audit& part) {
  return each_page(reader, after, [&](const JobRecord& record) {
    ++part.jobs_checked;
    check_record(record, rules, part.findings);
    check_key(reader, record.job, part);
    check_end(reader, record.job, rules, part);
    return part.findings.size() < findings_max;
  });
}

Result<std::vector<std::string>> ask(Reader& reader, const Question& question) {
  RowSet rows = reader.connection.ask(question.sql);
  std::vector<std::string> found;
  while (rows.next() && found.size() < findings_max) found.push_back(rows.text());
  return found;
}

}  // namespace

// A page of jobs, and each question, is read in a transaction of its own: one that lasted as long
// as the audit would keep the server from cleaning up what everybody else leaves behind.
Result<Audit> audit_tables(Readers& readers, const Rules& rules, const AuditWatch& watch) {
  Audit audit;
  std::string rule;
  const ReadStop stop = [&]() -> std::optional<Error> {
    if (!watch || watch({.jobs_checked = audit.jobs_checked, .rule = rule})) return std::nullopt;
    return Error{.code = Errc::unavailable, .message = "the check was ended"};
  };
  std::optional<JobId> after = JobId{};
  while (after && audit.findings.size() < findings_max) {
    if (auto error = stop()) return *error;
    Audit part;  // a connection that was lost is replaced, and the page read again
    const auto page = readers.read([&](Reader& reader) {
      part = {};
      return check_page(reader, rules, *after, part);
    });
    if (!page) return page.error();
    audit.jobs_checked += part.jobs_checked;
    for (Finding& one : part.findings) find(audit, one.rule, std::move(one.what));
    after = *page;
  }
  for (const Question& question : questions) {
    rule = question.rule;
    if (auto error = stop()) return *error;
    auto found = readers.read([&](Reader& reader) { return ask(reader, question); }, stop);
    if (!found) return found.error();
    for (std::string& what : *found) find(audit, question.rule, std::move(what));
  }
  if (audit.findings.size() > findings_max) audit.findings.resize(findings_max);
  return audit;
}

}  // namespace longshore::postgres
