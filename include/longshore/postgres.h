// Enqueues a job inside a PostgreSQL transaction of the caller: the job is created if and only if
// that transaction commits.
#pragma once

#include <optional>
#include <string>

#include "longshore/error.h"
#include "longshore/id.h"
#include "longshore/time.h"

struct pg_conn;  // libpq's PGconn

namespace longshore {

struct PostgresJob {
  std::string type;
  std::string payload = "null";  // JSON
  std::string queue = "default";
  int priority = 5;  // 0 first
  Duration delay;
  std::string job_key;          // empty: none
  std::string idempotency_key;  // empty: none
  std::string ns = "default";
};

// Uses a connection to the store's database and its open transaction; without one the job is
// committed at once. `schema` is the store's. Returns the id of the new job, or of the job that
// already has the key. Errc::invalid if the store refuses the job; the transaction is then aborted,
// as after any failed statement. Errc::unavailable if the connection is lost.
Result<JobId> enqueue_in(pg_conn* connection, const PostgresJob& job,
                         const std::string& schema = "longshore");

}  // namespace longshore
