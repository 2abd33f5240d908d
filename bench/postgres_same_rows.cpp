#include "bench/postgres_same_rows.h"

#include <fmt/format.h>

#include <utility>

#include "bench/postgres_caller.h"
#include "store/postgres/connection/rowset.h"

namespace longshore::bench {
namespace {

using postgres::Column;
using postgres::Parameters;
using postgres::Type;

// @ stands for the schema.
constexpr const char* insert_jobs = R"sql(
WITH sent AS MATERIALIZED (
  SELECT id, payload, first + place AS ord, now
  FROM unnest($1::uuid[], $2::bytea[]) WITH ORDINALITY AS sent(id, payload, place),
    (SELECT @store_time() AS now, nextval('@step') AS first OFFSET 0) AS clock),
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
  INSERT INTO @held SELECT id, lease_expires_at, claim, 'default', 'default', 'work', true, 0
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
  DELETE FROM @live AS live USING unnest($1::uuid[], $2::uuid[]) AS told(id, claim)
  WHERE live.id = told.id AND live.state = 3 AND live.claim = told.claim
    AND live.lease_expires_at > (SELECT now FROM clock) RETURNING live.*),
freed AS (
  DELETE FROM @held WHERE claim = ANY($2) AND (job IN (SELECT unnest($1::uuid[]))) IS TRUE),
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

constexpr const char* sweep = "VACUUM (SKIP_LOCKED, TRUNCATE OFF, INDEX_CLEANUP ON) @ready, @held";

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

// How many rows there are, how many jobs are in each state, and the columns of a finished job that
// have a value, by name.
constexpr const char* contents = R"sql(
SELECT concat_ws(' ',
  'live', (SELECT count(*) FROM @live), 'done', (SELECT count(*) FROM @done),
  'body', (SELECT count(*) FROM @body), 'ready', (SELECT count(*) FROM @ready),
  'held', (SELECT count(*) FROM @held),
  'counted', (SELECT concat_ws(' ', sum(queued), sum(running), sum(success)) FROM @tally),
  (SELECT string_agg(key, ' ' ORDER BY key) FROM (SELECT DISTINCT key FROM
     (SELECT to_jsonb(job) AS job FROM @done AS job LIMIT 100) AS sample, jsonb_each(job)
   WHERE value <> 'null') AS keys))
)sql";

HandStatements statements_in(const std::string& schema) {
  return {in_schema(schema, insert_jobs), in_schema(schema, claim_jobs),
          in_schema(schema, complete_jobs), in_schema(schema, sweep)};
}

}  // namespace

SameRowsQueue::SameRowsQueue(const std::string& url, const std::string& schema, std::uint64_t seed)
    : HandQueue(url, statements_in(schema), seed) {}

int SameRowsQueue::work(int jobs) {
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
  worked(claimed.count());
  return claimed.count();
}

void expect_same_rows(const std::string& url, const std::string& ours, const std::string& other) {
  HandConnection connection(url);
  std::string found[2];
  const std::string schemas[2] = {ours, other};
  for (int i = 0; i < 2; ++i) {
    connection.prepare(schemas[i].c_str(), in_schema(schemas[i], contents));
    postgres::RowSet row(connection.run(schemas[i].c_str(), {}));
    if (row.next()) found[i] = row.text();
  }
  if (found[0] == found[1] && !found[0].empty()) return;
  give_up(fmt::format("what is in the tables differs\nours: {}\nby hand: {}", found[0], found[1]));
}

}  // namespace longshore::bench
