#include <libpq-fe.h>

#include <memory>
#include <string_view>

#include "longshore/postgres.h"

namespace longshore {
namespace {

const char* or_null(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

Error failure(PGconn* connection, const PGresult* result) {
  const char* state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
  const char* message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
  const bool lost = PQstatus(connection) != CONNECTION_OK || state == nullptr;
  return {.code = lost ? Errc::unavailable : Errc::invalid,
          .message = message != nullptr ? message : first_line(PQerrorMessage(connection))};
}

}  // namespace

Result<JobId> enqueue_in(pg_conn* connection, const PostgresJob& job, const std::string& schema) {
  const std::unique_ptr<char, decltype(&PQfreemem)> quoted(
      PQescapeIdentifier(connection, schema.c_str(), schema.size()), &PQfreemem);
  if (!quoted) return Error{.code = Errc::invalid, .message = "schema is no name"};
  const std::string sql = std::string("SELECT ") + quoted.get() +
                          ".enqueue($1, $2::json, $3, $4::integer, "
                          "delay_seconds => $5::double precision, job_key => $6, "
                          "idempotency_key => $7, ns => $8)::text";
  const std::string priority = std::to_string(job.priority);
  const std::string delay = std::to_string(job.delay.in_seconds());
  const char* values[] = {job.type.c_str(),
                          job.payload.c_str(),
                          job.queue.c_str(),
                          priority.c_str(),
                          delay.c_str(),
                          or_null(job.job_key),
                          or_null(job.idempotency_key),
                          job.ns.c_str()};
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(
      PQexecParams(connection, sql.c_str(), 8, nullptr, values, nullptr, nullptr, 0), &PQclear);
  if (PQresultStatus(result.get()) != PGRES_TUPLES_OK) return failure(connection, result.get());
  const auto id = parse_job_id(PQgetvalue(result.get(), 0, 0));
  if (!id) return Error{.code = Errc::corrupt, .message = "the store answered no job id"};
  return *id;
}

}  // namespace longshore
