#include "bench/postgres_same_rows.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "bench/postgres_caller.h"
#include "store/postgres/rowset.h"

namespace longshore::bench {
namespace {

using postgres::Column;
using postgres::Parameters;
using postgres::Type;

constexpr int payload_bytes = 198;

// @ stands for the schema.
constexpr const char* insert_jobs = R"sql(
WITH sent AS MATERIALIZED (
  SELECT id, payload, nextval('@step') AS ord, now
  FROM unnest($1::uuid[], $2::bytea[]) AS sent(id, payload),
    (SELECT @store_time() AS now) AS clock),
bodies AS (INSERT INTO @body SELECT id, payload, '', '', '', '' FROM sent),
jobs AS (
  INSERT INTO @live(id, ns, type, queue, priority, number, created_at, body_bytes, state, version,
                    ord, run_at, updated_at, history)
  SELECT id, 'default', 'work', 'default', 5, ord, now, octet_length(payload), 2, 2, ord, now, now,
    '1 - CREATED enqueue ' || now || E' 0 - -\n2 CREATED QUEUED accept ' || now || E' 0 - -\n'
  FROM sent),
counts AS (
  INSERT INTO @tally AS known
  SELECT pg_backend_pid() % 16, 'default', 'default', 0, 0, count(*), 0, 0, 0, 0, 0, 0 FROM sent
  ON CONFLICT (ns, queue, slot) DO UPDATE SET queued = known.queued + excluded.queued)
INSERT INTO @ready SELECT 'default', 'default', 5, ord, id, 'work' FROM sent
)sql";

constexpr const char* claim_jobs = R"sql(
WITH clock AS MATERIALIZED (SELECT @store_time() AS now),
taken AS (
  DELETE FROM @ready WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM @ready WHERE ns = 'default' AND queue = 'default'
    ORDER BY priority, ord LIMIT $1 FOR UPDATE SKIP LOCKED)) RETURNING job),
leased AS (
  UPDATE @live SET state = 3, version = 3, updated_at = (SELECT now FROM clock),
    claim = gen_random_uuid(), worker = 'w', lease_expires_at = (SELECT now FROM clock) + 30000,
    course = '\x0205030508020c020de0d4030ea0a8b804'::bytea,
    history = history || '3 QUEUED RUNNING claim ' || (SELECT now FROM clock) || E' 1 w -\n'
  WHERE id = ANY(ARRAY(SELECT job FROM taken)) RETURNING id, claim, lease_expires_at),
listed AS (
  INSERT INTO @held SELECT id, lease_expires_at, claim, 'default', 'default', 'work', true
  FROM leased),
counts AS (
  INSERT INTO @tally AS known
  SELECT pg_backend_pid() % 16, 'default', 'default', 0, 0, -count(*), count(*), 0, 0, 0, 0, 0
  FROM leased ON CONFLICT (ns, queue, slot) DO UPDATE SET
    queued = known.queued + excluded.queued, running = known.running + excluded.running)
SELECT id, claim, payload, tags, metadata, request, traceparent
FROM leased, LATERAL (SELECT payload, tags, metadata, request, traceparent FROM @body AS body
                      WHERE body.id = leased.id OFFSET 0) AS body
)sql";

constexpr const char* complete_jobs = R"sql(
WITH clock AS MATERIALIZED (SELECT @store_time() AS now),
ended AS (
  DELETE FROM @live WHERE ctid = ANY(ARRAY(
    SELECT place FROM unnest($1::uuid[], $2::uuid[]) AS told(id, claim),
      LATERAL (SELECT ctid AS place FROM @live AS live WHERE live.id = told.id AND state = 3
               AND live.claim = told.claim AND lease_expires_at > (SELECT now FROM clock)
               OFFSET 0 FOR UPDATE) AS found)) RETURNING *),
freed AS (
  DELETE FROM @held WHERE ctid = ANY(ARRAY(
    SELECT place FROM unnest($1::uuid[], $2::uuid[]) AS told(id, claim),
      LATERAL (SELECT ctid AS place FROM @held AS held WHERE held.claim = told.claim
               AND held.job = told.id OFFSET 0) AS found))),
counts AS (
  INSERT INTO @tally AS known
  SELECT pg_backend_pid() % 16, 'default', 'default', 0, 0, 0, -count(*), 0, 0, count(*), 0, 0
  FROM ended ON CONFLICT (ns, queue, slot) DO UPDATE SET
    running = known.running + excluded.running, success = known.success + excluded.success)
INSERT INTO @done(id, ns, type, queue, priority, number, created_at, body_bytes, state, version,
                  ord, run_at, updated_at, prune_after, course, history, result)
SELECT id, ns, type, queue, priority, number, created_at, body_bytes, 6, 4, ord, run_at,
  (SELECT now FROM clock), (SELECT now FROM clock) + 604800000,
  course || '\x0405050a8f220000000000000001a4c8e1f0b2d3c4e5'::bytea || uuid_send(claim) || '\x0102',
  history || '4 RUNNING SUCCESS complete ' || (SELECT now FROM clock) || E' 1 w -\n', 'null'
FROM ended
)sql";

std::string in_schema(const std::string& schema, std::string_view text) {
  std::string out;
  for (const char byte : text) {
    if (byte == '@') {
      out += schema + ".";
    } else {
      out += byte;
    }
  }
  return out;
}

// The columns of a finished job that have a value, by name.
constexpr const char* columns_with_values =
    "SELECT string_agg(key, ' ' ORDER BY key) FROM (SELECT DISTINCT key FROM (SELECT to_jsonb(job) "
    "AS job FROM @done AS job LIMIT 100) AS sample, jsonb_each(job) WHERE value <> 'null') AS keys";

}  // namespace

PostgresSameRows::PostgresSameRows(const std::string& url, const std::string& schema,
                                   std::uint64_t seed)
    : connection_(url), random_(seed), ids_(random_) {
  connection_.prepare("insert", in_schema(schema, insert_jobs));
  connection_.prepare("claim", in_schema(schema, claim_jobs));
  connection_.prepare("complete", in_schema(schema, complete_jobs));
}

void PostgresSameRows::enqueue(int jobs) {
  Column ids(Type::uuid);
  Column payloads(Type::bytes);
  for (int i = 0; i < jobs; ++i) {
    ids.add(ids_.next(clock_.now()));
    payloads.add(std::string(payload_bytes, 'x'));
  }
  Parameters parameters;
  parameters.add(std::move(ids)).add(std::move(payloads));
  PQclear(connection_.run("insert", parameters));
}

int PostgresSameRows::work(int jobs) {
  Parameters wanted;
  wanted.add(jobs);
  postgres::RowSet claimed(connection_.run("claim", wanted));
  Column ids(Type::uuid);
  Column claims(Type::uuid);
  std::size_t bytes = 0;
  while (claimed.next()) {
    ids.add(claimed.id<JobId>());
    claims.add(claimed.id<RequestId>());
    bytes += claimed.text().size();  // as a worker would take it
  }
  if (bytes == 0) return 0;
  Parameters told;
  told.add(std::move(ids)).add(std::move(claims));
  PQclear(connection_.run("complete", told));
  return claimed.count();
}

void expect_same_columns(const std::string& url, const std::string& ours,
                         const std::string& other) {
  HandConnection connection(url);
  std::string columns[2];
  const std::string schemas[2] = {ours, other};
  for (int i = 0; i < 2; ++i) {
    const char* name = i == 0 ? "ours" : "other";
    connection.prepare(name, in_schema(schemas[i], columns_with_values));
    postgres::RowSet row(connection.run(name, {}));
    if (row.next()) columns[i] = row.text();
  }
  if (columns[0] == columns[1] && !columns[0].empty()) return;
  give_up(fmt::format("finished jobs differ: ours have {}, the reference's {}", columns[0],
                      columns[1]));
}

}  // namespace longshore::bench
