#include "bench/postgres_hand.h"

#include <fmt/format.h>

#include <cstdlib>

namespace longshore::bench {
namespace {

constexpr int payload_bytes = 200;

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
                           PRIMARY KEY (queue, priority, ord));
CREATE TABLE by_hand.lease(id uuid PRIMARY KEY, token uuid NOT NULL, ends_at timestamptz NOT NULL);
CREATE TABLE by_hand.done(id uuid PRIMARY KEY, ended_at timestamptz NOT NULL, result bytea);
)sql";

constexpr const char* insert_jobs = R"sql(
WITH new AS (
  INSERT INTO by_hand.job SELECT gen_random_uuid(), 'work', clock_timestamp(), $2::bytea
  FROM generate_series(1, $1::int) RETURNING id)
INSERT INTO by_hand.ready SELECT 'default', 5, nextval('by_hand.ord'), id FROM new
)sql";

constexpr const char* claim_jobs = R"sql(
WITH next AS MATERIALIZED (
  SELECT queue, priority, ord, id FROM by_hand.ready WHERE queue = 'default'
  ORDER BY priority, ord LIMIT $1::int FOR UPDATE SKIP LOCKED),
taken AS (
  DELETE FROM by_hand.ready USING next WHERE ready.queue = next.queue
  AND ready.priority = next.priority AND ready.ord = next.ord RETURNING next.id),
leased AS (
  INSERT INTO by_hand.lease SELECT id, gen_random_uuid(), clock_timestamp() + interval '30 s'
  FROM taken RETURNING id, token)
SELECT string_agg(leased.id::text, ','), string_agg(leased.token::text, ','), count(*),
       sum(octet_length(job.payload)) FROM leased JOIN by_hand.job USING (id)
)sql";

constexpr const char* complete_jobs = R"sql(
WITH ended AS (
  DELETE FROM by_hand.lease USING unnest(string_to_array($1, ',')::uuid[],
  string_to_array($2, ',')::uuid[]) AS told(id, token) WHERE lease.id = told.id
  AND lease.token = told.token AND lease.ends_at > clock_timestamp() RETURNING lease.id)
INSERT INTO by_hand.done SELECT id, clock_timestamp(), 'null' FROM ended
)sql";

}  // namespace

void make_hand_tables(const std::string& url) {
  PGconn* connection = PQconnectdb(url.c_str());
  PQsetNoticeProcessor(
      connection, [](void*, const char*) {}, nullptr);
  PQclear(expect(connection, PQexec(connection, tables)));
  PQfinish(connection);
}

PostgresByHand::PostgresByHand(const std::string& url)
    : connection_(PQconnectdb(url.c_str())), payload_(payload_bytes, 'x') {
  PQclear(expect(connection_, PQexec(connection_, "SET jit = off")));
  for (const auto& [name, text] : {std::pair{"insert", insert_jobs}, std::pair{"claim", claim_jobs},
                                   std::pair{"complete", complete_jobs}}) {
    PQclear(expect(connection_, PQprepare(connection_, name, text, 0, nullptr)));
  }
}

PostgresByHand::~PostgresByHand() { PQfinish(connection_); }

void PostgresByHand::enqueue(int jobs) {
  const std::string count = std::to_string(jobs);
  const char* values[] = {count.c_str(), payload_.c_str()};
  PQclear(
      expect(connection_, PQexecPrepared(connection_, "insert", 2, values, nullptr, nullptr, 0)));
}

int PostgresByHand::work(int jobs) {
  const std::string limit = std::to_string(jobs);
  const char* wanted[] = {limit.c_str()};
  PGresult* claimed =
      expect(connection_, PQexecPrepared(connection_, "claim", 1, wanted, nullptr, nullptr, 0));
  const int count = std::atoi(PQgetvalue(claimed, 0, 2));
  if (count > 0) {
    const char* told[] = {PQgetvalue(claimed, 0, 0), PQgetvalue(claimed, 0, 1)};
    PQclear(
        expect(connection_, PQexecPrepared(connection_, "complete", 2, told, nullptr, nullptr, 0)));
  }
  PQclear(claimed);
  return count;
}

}  // namespace longshore::bench
