#include "bench/postgres_hand.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "store/postgres/connection/rowset.h"

namespace longshore::bench {
namespace {

using postgres::Column;
using postgres::Parameters;
using postgres::Type;

constexpr int payload_bytes = 198;

PGresult* expect(PGconn* connection, PGresult* result) {
  const ExecStatusType status = PQresultStatus(result);
  if (status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK) return result;
  fmt::print(stderr, "{}", PQerrorMessage(connection));
  std::exit(1);
}

constexpr const char* tables = R"sql(
DROP SCHEMA IF EXISTS by_hand CASCADE;
CREATE SCHEMA by_hand;
CREATE SEQUENCE by_hand.ord;
CREATE TABLE by_hand.job(id uuid PRIMARY KEY, type text NOT NULL, created_at timestamptz NOT NULL,
                         payload bytea NOT NULL);
CREATE TABLE by_hand.ready(queue text, priority smallint, ord bigint, id uuid NOT NULL,
                           PRIMARY KEY (queue, priority, ord))
  WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
CREATE TABLE by_hand.lease(id uuid PRIMARY KEY, token uuid NOT NULL, ends_at timestamptz NOT NULL)
  WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
CREATE TABLE by_hand.done(id uuid PRIMARY KEY, ended_at timestamptz NOT NULL, result bytea);
)sql";

constexpr const char* insert_jobs = R"sql(
WITH new AS (
  INSERT INTO by_hand.job SELECT id, 'work', clock_timestamp(), payload
  FROM unnest($1::uuid[], $2::bytea[]) AS sent(id, payload) RETURNING id)
INSERT INTO by_hand.ready SELECT 'default', 5, nextval('by_hand.ord'), id FROM new
)sql";

constexpr const char* claim_jobs = R"sql(
WITH taken AS (
  DELETE FROM by_hand.ready WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM by_hand.ready WHERE queue = 'default'
    ORDER BY priority, ord LIMIT $1 FOR UPDATE SKIP LOCKED)) RETURNING id),
leased AS (
  INSERT INTO by_hand.lease SELECT id, $2, clock_timestamp() + interval '30 s'
  FROM taken RETURNING id)
SELECT id, payload, type, created_at FROM by_hand.job WHERE id = ANY(ARRAY(SELECT id FROM leased))
)sql";

constexpr const char* complete_jobs = R"sql(
WITH ended AS (
  DELETE FROM by_hand.lease WHERE id = ANY($1::uuid[]) AND token = $2
  AND ends_at > clock_timestamp() RETURNING id)
INSERT INTO by_hand.done SELECT id, clock_timestamp(), 'null' FROM ended
)sql";

constexpr const char* sweep =
    "VACUUM (SKIP_LOCKED, TRUNCATE OFF, INDEX_CLEANUP ON) by_hand.ready, by_hand.lease";

constexpr const char* settings =
    "SET jit = off; SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; "
    "SET enable_bitmapscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off";

}  // namespace

HandConnection::HandConnection(const std::string& url) : connection_(PQconnectdb(url.c_str())) {
  PQsetNoticeProcessor(
      connection_, [](void*, const char*) {}, nullptr);
  run_script(settings);
}

void HandConnection::run_script(const std::string& text) {
  PQclear(expect(connection_, PQexec(connection_, text.c_str())));
}

void HandConnection::prepare(const char* name, const std::string& text) {
  PQclear(expect(connection_, PQprepare(connection_, name, text.c_str(), 0, nullptr)));
}

PGresult* HandConnection::run(const char* name, const Parameters& parameters) {
  std::vector<const char*> values;
  std::vector<int> lengths;
  for (const postgres::Wire& value : parameters.values) {
    values.push_back(value->data());
    lengths.push_back(static_cast<int>(value->size()));
  }
  const std::vector<int> formats(values.size(), 1);
  return expect(connection_, PQexecPrepared(connection_, name, static_cast<int>(values.size()),
                                            values.data(), lengths.data(), formats.data(), 1));
}

HandQueue::HandQueue(const std::string& url, const HandStatements& statements, std::uint64_t seed)
    : connection_(url), random_(seed), ids_(random_), sweep_(statements.sweep) {
  connection_.prepare("insert", statements.insert);
  connection_.prepare("claim", statements.claim);
  connection_.prepare("complete", statements.complete);
}

void HandQueue::enqueue(int jobs) {
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

void HandQueue::worked(int jobs) {
  constexpr int jobs_between = 8192;
  since_sweep_ += jobs;
  if (since_sweep_ < jobs_between) return;
  since_sweep_ = 0;
  connection_.run_script(sweep_);
}

void BareQueue::make_tables(const std::string& url) { HandConnection(url).run_script(tables); }

BareQueue::BareQueue(const std::string& url, std::uint64_t seed)
    : HandQueue(url, {insert_jobs, claim_jobs, complete_jobs, sweep}, seed) {}

int BareQueue::work(int jobs) {
  const auto token = random_id<RequestId>(random_);
  Parameters wanted;
  wanted.add(jobs).add(token);
  postgres::RowSet claimed(connection_.run("claim", wanted));
  Column ids(Type::uuid);
  std::size_t bytes = 0;
  while (claimed.next()) {
    ids.add(claimed.id<JobId>());
    bytes += claimed.text().size();  // as a worker would take it
  }
  const int count = claimed.count();
  if (bytes == 0) return 0;
  Parameters told;
  told.add(std::move(ids)).add(token);
  PQclear(connection_.run("complete", told));
  worked(count);
  return count;
}

}  // namespace longshore::bench
