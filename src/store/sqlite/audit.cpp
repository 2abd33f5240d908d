#include "store/sqlite/audit.h"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "core/enqueue.h"
#include "core/soundness.h"
#include "store/sqlite/catalog.h"

namespace longshore::sqlite {
namespace {

constexpr std::size_t findings_max = 1000;

// A question whose every row is a contradiction, in words.
struct Question {
  const char* rule;
  const char* sql;
};

constexpr Question questions[] = {
    {"job-twice",
     "SELECT hex(id) || ' is both live and done' FROM live WHERE id IN "
     "(SELECT id FROM done)"},
    {"ended-among-live",
     "SELECT hex(id) || ' has ended but is live' FROM live "
     "WHERE state > 5"},
    {"living-among-done",
     "SELECT hex(id) || ' has not ended but is done' FROM done "
     "WHERE state < 6"},
    {"body-missing",
     "SELECT hex(id) || ' has no body' FROM (SELECT id FROM live UNION ALL "
     "SELECT id FROM done) WHERE id NOT IN (SELECT id FROM body)"},
    {"body-stray",
     "SELECT hex(id) || ' is a body without a job' FROM body WHERE id NOT IN "
     "(SELECT id FROM live UNION ALL SELECT id FROM done)"},
    {"checkpoint-stray",
     "SELECT hex(id) || ' is a checkpoint without a job' FROM checkpoint WHERE id NOT IN "
     "(SELECT id FROM live WHERE flags & 4 UNION ALL SELECT id FROM done WHERE flags & 4)"},
    {"checkpoint-missing",
     "SELECT hex(id) || ' has lost its checkpoint' FROM (SELECT id, flags FROM live UNION ALL "
     "SELECT id, flags FROM done) WHERE flags & 4 AND id NOT IN (SELECT id FROM checkpoint)"},
    {"failure-stray",
     "SELECT DISTINCT hex(id) || ' is a failure without a job' FROM failure "
     "WHERE id NOT IN (SELECT id FROM live UNION ALL SELECT id FROM done)"},
    {"log-stray",
     "SELECT DISTINCT hex(id) || ' is a log without a job' FROM log WHERE id NOT IN "
     "(SELECT id FROM live UNION ALL SELECT id FROM done)"},
    {"number-twice",
     "SELECT 'number ' || number || ' was given out twice' FROM "
     "(SELECT number FROM live UNION ALL SELECT number FROM done) "
     "GROUP BY number HAVING count(*) > 1"},
    {"number-ahead",
     "SELECT hex(id) || ' has a number that was never given out' FROM "
     "(SELECT id, number FROM live UNION ALL SELECT id, number FROM done) "
     "WHERE number > (SELECT number FROM store)"},
    {"order-twice",
     "SELECT 'order ' || ord || ' of two queued jobs' FROM live WHERE state = 2 "
     "GROUP BY ord HAVING count(*) > 1"},
    {"key-without-type",
     "SELECT hex(job.id) || ' has a key and a type that do not match' FROM "
     "(SELECT id, lane, kind, job_key FROM live UNION ALL "
     "SELECT id, lane, kind, job_key FROM done) AS job "
     "JOIN lane ON lane.id = job.lane WHERE job.kind IS NOT "
     "CASE WHEN job.job_key IS NULL THEN NULL ELSE (SELECT kind.id FROM kind "
     "WHERE kind.ns = lane.ns AND kind.type = lane.type) END"},
    {"count-wrong",
     "SELECT lane.ns || '/' || lane.queue || '/' || lane.type || ' counts other jobs than it has'"
     " FROM lane LEFT JOIN (SELECT lane, sum(state = 0) AS s0, sum(state = 1) AS s1, "
     "sum(state = 2) AS s2, sum(state = 3) AS s3, sum(state = 4) AS s4, sum(state = 5) AS s5, "
     "sum(state = 6) AS s6, sum(state = 7) AS s7, sum(state = 8) AS s8 FROM "
     "(SELECT lane, state FROM live UNION ALL SELECT lane, iif(state = 7 AND flags & 2, 8, state) "
     "FROM done) GROUP BY lane) AS job "
     "ON job.lane = lane.id WHERE created <> ifnull(s0, 0) OR scheduled <> ifnull(s1, 0) OR "
     "queued <> ifnull(s2, 0) OR running <> ifnull(s3, 0) OR waiting <> ifnull(s4, 0) OR "
     "retry <> ifnull(s5, 0) OR success <> ifnull(s6, 0) OR dead <> ifnull(s7, 0) OR "
     "canceled <> ifnull(s8, 0)"},
    {"idempotency-key-astray",
     "SELECT key || ' stands for a job that is gone, and keeps no end' FROM idempotency "
     "WHERE job NOT IN (SELECT id FROM live UNION ALL SELECT id FROM done UNION ALL "
     "SELECT job FROM gone)"},
    {"idempotency-key-unlisted",
     "SELECT idempotency.key || ' is named neither by its job nor beside it' FROM idempotency "
     "LEFT JOIN (SELECT id, idempotency_key AS key FROM live UNION ALL SELECT id, "
     "idempotency_key FROM done) AS named ON named.id = job AND named.key = idempotency.key "
     "WHERE named.id IS NULL AND (job, space, idempotency.key) NOT IN "
     "(SELECT job, space, key FROM bound_key)"},
    {"bound-key-stray",
     "SELECT key || ' is listed for a job it does not lead to' FROM bound_key "
     "WHERE (space, key, job) NOT IN (SELECT space, key, job FROM idempotency)"},
    {"gone-but-here",
     "SELECT hex(job) || ' is on its way out but still here' FROM gone "
     "WHERE job IN (SELECT id FROM live UNION ALL SELECT id FROM done)"},
    {"gone-without-key",
     "SELECT hex(job) || ' is remembered though no key leads to it' FROM gone "
     "WHERE job NOT IN (SELECT job FROM bound_key)"},
};

void find(Audit& audit, const std::string& rule, std::string what) {
  if (audit.findings.size() < findings_max) audit.findings.push_back({rule, std::move(what)});
}

void ask(Reader& reader, const Question& question, Audit& audit) {
  Statement rows(*reader.database, question.sql);
  while (audit.findings.size() < findings_max && rows.step()) {
    find(audit, question.rule, rows.text());
  }
}

// SQLite compares every index with its table and walks every page.
void check_pages(Reader& reader, Audit& audit) {
  Statement rows(*reader.database, "PRAGMA integrity_check(100)");
  while (rows.step()) {
    std::string words = rows.text();
    if (words != "ok") find(audit, "file-damaged", std::move(words));
  }
}

// A job's own key leads to it.
void check_key(Reader& reader, const Job& job, Audit& audit) {
  if (job.idempotency_key.empty()) return;
  const auto space = reader.keys.find_space(job.ns, is_platform_type(job.type));
  const auto bound = space ? reader.keys.find(*space, job.idempotency_key) : std::nullopt;
  if (bound && bound->job == job.id) return;
  find(audit, "idempotency-key-unbound",
       to_text(job.id) + " brought a key that does not lead to it");
}

Result<Nothing> check_records(Readers& readers, const Rules& rules, Audit& audit) {
  std::optional<JobId> after = JobId{};
  while (after) {
    const auto last = readers.read([&](Reader& reader) {
      return each_slice(reader, *after, [&](const JobRecord& record) {
        ++audit.jobs_checked;
        check_record(record, rules, audit.findings);
        check_key(reader, record.job, audit);
        return audit.findings.size() < findings_max;
      });
    });
    if (!last) return last.error();
    after = *last;
  }
  return Nothing{};
}

// One read for each, so that the log may begin anew between two.
Result<Nothing> read_once(Readers& readers, const std::function<void(Reader&)>& look) {
  const auto answer = [&](Reader& reader) -> Result<Nothing> { return look(reader), Nothing{}; };
  return readers.read(answer, LogGate::Read::lengthy);
}

}  // namespace

Result<Audit> audit_file(Readers& readers, const Rules& rules) {
  Audit audit;
  Result<Nothing> done = check_records(readers, rules, audit);
  for (const Question& question : questions) {
    if (done) done = read_once(readers, [&](Reader& reader) { ask(reader, question, audit); });
  }
  if (done) done = read_once(readers, [&](Reader& reader) { check_pages(reader, audit); });
  if (!done) return done.error();
  if (audit.findings.size() > findings_max) audit.findings.resize(findings_max);
  return audit;
}

void audit_memory(UnitOfWork& work, Audit& audit) {
  std::vector<JobId> held;
  Statement rows(work.database(), "SELECT id FROM live WHERE state IN (3, 4) ORDER BY id");
  while (rows.step()) held.push_back(rows.id<JobId>());
  if (held != work.leases().all()) {
    find(audit, "lease-without-running-job",
         "memory holds " + std::to_string(work.leases().all().size()) + " leases, the file " +
             std::to_string(held.size()) + " jobs that are held, and they are not the same");
  }
  work.lanes().audit(audit.findings);
  if (audit.findings.size() > findings_max) audit.findings.resize(findings_max);
}

}  // namespace longshore::sqlite
