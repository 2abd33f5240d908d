#include "store/sqlite/read/audit_questions.h"

namespace longshore::sqlite {
namespace {

constexpr RowQuestion of_rows[] = {
    {"job-twice", "live", "id",
     "SELECT hex(x.id) || ' is both live and done' FROM live AS x "
     "WHERE EXISTS (SELECT 1 FROM done WHERE done.id = x.id)"},
    {"ended-among-live", "live", "id",
     "SELECT hex(x.id) || ' has ended but is live' FROM live AS x WHERE x.state > 5"},
    {"living-among-done", "done", "id",
     "SELECT hex(x.id) || ' has not ended but is done' FROM done AS x WHERE x.state < 6"},
    {"body-missing", "live", "id",
     "SELECT hex(x.id) || ' has no body' FROM live AS x "
     "WHERE NOT EXISTS (SELECT 1 FROM body WHERE body.id = x.id)"},
    {"body-missing", "done", "id",
     "SELECT hex(x.id) || ' has no body' FROM done AS x "
     "WHERE NOT EXISTS (SELECT 1 FROM body WHERE body.id = x.id)"},
    {"body-stray", "body", "id",
     "SELECT hex(x.id) || ' is a body without a job' FROM body AS x "
     "WHERE NOT EXISTS (SELECT 1 FROM live WHERE live.id = x.id) "
     "AND NOT EXISTS (SELECT 1 FROM done WHERE done.id = x.id)"},
    {"checkpoint-stray", "checkpoint", "id",
     "SELECT hex(x.id) || ' is a checkpoint without a job' FROM checkpoint AS x "
     "WHERE NOT EXISTS (SELECT 1 FROM live WHERE live.id = x.id AND live.flags & 4) "
     "AND NOT EXISTS (SELECT 1 FROM done WHERE done.id = x.id AND done.flags & 4)"},
    {"checkpoint-missing", "live", "id",
     "SELECT hex(x.id) || ' has lost its checkpoint' FROM live AS x WHERE x.flags & 4 "
     "AND NOT EXISTS (SELECT 1 FROM checkpoint WHERE checkpoint.id = x.id)"},
    {"checkpoint-missing", "done", "id",
     "SELECT hex(x.id) || ' has lost its checkpoint' FROM done AS x WHERE x.flags & 4 "
     "AND NOT EXISTS (SELECT 1 FROM checkpoint WHERE checkpoint.id = x.id)"},
    {"failure-stray", "failure", "id",
     "SELECT DISTINCT hex(x.id) || ' is a failure without a job' FROM failure AS x "
     "WHERE NOT EXISTS (SELECT 1 FROM live WHERE live.id = x.id) "
     "AND NOT EXISTS (SELECT 1 FROM done WHERE done.id = x.id)"},
    {"log-stray", "log", "id",
     "SELECT DISTINCT hex(x.id) || ' is a log without a job' FROM log AS x "
     "WHERE NOT EXISTS (SELECT 1 FROM live WHERE live.id = x.id) "
     "AND NOT EXISTS (SELECT 1 FROM done WHERE done.id = x.id)"},
    {"number-ahead", "live", "id",
     "SELECT hex(x.id) || ' has a number that was never given out' FROM live AS x "
     "WHERE x.number > (SELECT number FROM store)"},
    {"number-ahead", "done", "id",
     "SELECT hex(x.id) || ' has a number that was never given out' FROM done AS x "
     "WHERE x.number > (SELECT number FROM store)"},
    {"key-without-type", "live", "id",
     "SELECT hex(x.id) || ' has a key and a type that do not match' FROM live AS x "
     "JOIN lane ON lane.id = x.lane WHERE x.kind IS NOT "
     "CASE WHEN x.job_key IS NULL THEN NULL ELSE (SELECT kind.id FROM kind "
     "WHERE kind.ns = lane.ns AND kind.type = lane.type) END"},
    {"key-without-type", "done", "id",
     "SELECT hex(x.id) || ' has a key and a type that do not match' FROM done AS x "
     "JOIN lane ON lane.id = x.lane WHERE x.kind IS NOT "
     "CASE WHEN x.job_key IS NULL THEN NULL ELSE (SELECT kind.id FROM kind "
     "WHERE kind.ns = lane.ns AND kind.type = lane.type) END"},
    {"gone-but-here", "gone", "job",
     "SELECT hex(x.job) || ' is on its way out but still here' FROM gone AS x "
     "WHERE (EXISTS (SELECT 1 FROM live WHERE live.id = x.job) "
     "OR EXISTS (SELECT 1 FROM done WHERE done.id = x.job))"},
    {"gone-without-key", "gone", "job",
     "SELECT hex(x.job) || ' is remembered though no key leads to it' FROM gone AS x "
     "WHERE NOT EXISTS (SELECT 1 FROM bound_key WHERE bound_key.job = x.job)"},
};

constexpr WholeQuestion of_all[] = {
    {"number-twice",
     "SELECT 'number ' || number || ' was given out twice' FROM "
     "(SELECT number FROM live UNION ALL SELECT number FROM done) "
     "GROUP BY number HAVING count(*) > 1"},
    {"order-twice",
     "SELECT 'order ' || ord || ' of two queued jobs' FROM live WHERE state = 2 "
     "GROUP BY ord HAVING count(*) > 1"},
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
};

}  // namespace

std::span<const RowQuestion> row_questions() { return of_rows; }
std::span<const WholeQuestion> whole_questions() { return of_all; }

}  // namespace longshore::sqlite
