// Enqueueing inside a PostgreSQL transaction of the caller's own: the job comes into being exactly
// if that transaction commits, together with everything else in it.
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

// On a connection to the database that holds the store, in whatever transaction is open there; on
// its own if none is. `schema` is the store's. Answers the id of the new job, or of the one that
// already has the key. Errc::invalid for what the store refuses; the transaction is then aborted,
// as after any failed statement. Errc::unavailable when the connection is lost.
Result<JobId> enqueue_in(pg_conn* connection, const PostgresJob& job,
                         const std::string& schema = "longshore");

}  // namespace longshore
