// What the PostgreSQL store does when much waits, much has ended, or a transaction stays open.
#include <fmt/format.h>
#include <libpq-fe.h>

#include <cstdlib>

#include "bench/postgres.h"
#include "bench/postgres_caller.h"
#include "bench/postgres_hand.h"

namespace longshore::bench {
namespace {

constexpr int latency_calls = 300;
constexpr int few_waiting = 1000;

class Sql {
 public:
  explicit Sql(const std::string& url) : connection_(PQconnectdb(url.c_str())) {}
  ~Sql() { PQfinish(connection_); }
  Sql(const Sql&) = delete;
  Sql& operator=(const Sql&) = delete;

  // The first value of the answer, if there is one.
  std::string ask(const std::string& text) {
    PGresult* result = PQexec(connection_, text.c_str());
    const ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
      give_up(PQerrorMessage(connection_));
    }
    const std::string value = PQntuples(result) > 0 ? PQgetvalue(result, 0, 0) : "";
    PQclear(result);
    return value;
  }
  double number(const std::string& text) { return std::atof(ask(text).c_str()); }

 private:
  PGconn* connection_;
};

template <class Act>
std::vector<double> micros_of_each(const Act& act) {
  std::vector<double> micros;
  for (int i = 0; i < latency_calls; ++i) {
    const Stopwatch watch;
    act();
    micros.push_back(watch.seconds() * 1e6);
  }
  return micros;
}

// One job at a time, as a single worker takes them; as many are brought in as are taken.
double claim_p99(Caller& caller) {
  caller.enqueue(latency_calls);
  return quantile(micros_of_each([&] { caller.work(1); }), 0.99);
}

// Jobs that ended long ago, by copying one that has, with its body.
void add_finished(Sql& sql, std::int64_t count) {
  const std::string columns = sql.ask(
      "SELECT string_agg(column_name, ', ' ORDER BY ordinal_position) FROM "
      "information_schema.columns WHERE table_schema = 'longshore' AND table_name = 'done' AND "
      "column_name <> 'id'");
  sql.ask(fmt::format(
      "WITH ids AS (SELECT gen_random_uuid() AS id FROM generate_series(1, {0})), one AS (SELECT * "
      "FROM longshore.done LIMIT 1), jobs AS (INSERT INTO longshore.done(id, {1}) SELECT ids.id, "
      "{1} FROM ids, (SELECT {1} FROM one) AS others RETURNING id) INSERT INTO longshore.body "
      "SELECT jobs.id, payload, tags, metadata, request, traceparent FROM jobs, "
      "(SELECT payload, tags, metadata, request, traceparent FROM longshore.body LIMIT 1) AS body",
      count, columns));
}

// Of tables, with what belongs to them, in MiB.
double mib(Sql& sql, const std::string& names) {
  return sql.number(
             "SELECT coalesce(sum(pg_total_relation_size(relid)), 0) FROM "
             "pg_stat_user_tables WHERE schemaname = 'longshore' AND relname IN (" +
             names + ")") /
         (1024 * 1024);
}

}  // namespace

void measure_latency(Bench& bench) {
  Caller caller(bench.store(), 71);
  BareQueue hand(bench.url, 72);
  const auto ours = micros_of_each([&] { caller.enqueue(1); });
  const auto other = micros_of_each([&] { hand.enqueue(1); });
  const auto worked = micros_of_each([&] { caller.work(1); });
  const auto other_worked = micros_of_each([&] { hand.work(1); });
  for (const double part : {0.5, 0.99}) {
    const int name = static_cast<int>(part * 100);
    bench.report.line(fmt::format("latency.enqueue.p{}", name), quantile(ours, part),
                      quantile(other, part), "us");
    bench.report.line(fmt::format("latency.claim-and-complete.p{}", name), quantile(worked, part),
                      quantile(other_worked, part), "us");
  }
}

void measure_long_transaction(Bench& bench, std::int64_t jobs) {
  constexpr int batch = 256;
  Caller caller(bench.store(), 73);
  const auto run = [&] {
    const Stopwatch watch;
    for (std::int64_t done = 0; done < jobs; done += batch) {
      caller.enqueue(batch);
      caller.work(batch);
    }
    return static_cast<double>(jobs) / watch.seconds();
  };
  const double before = run();
  Sql held(bench.url);
  held.ask("BEGIN ISOLATION LEVEL REPEATABLE READ");
  held.ask("SELECT count(*) FROM longshore.ready");
  const double during = run();
  held.ask("COMMIT");
  bench.report.line("lifecycle.transaction-held-open", during, before, "/s", at_least(0.7));
}

void measure_crowds(Bench& bench, const Crowd& crowd) {
  Caller caller(bench.store(), 74);
  Sql sql(bench.url);
  bench.report.line("dead-tuples.after-steady-run",
                    sql.number("SELECT sum(n_dead_tup) FROM pg_stat_user_tables WHERE schemaname = "
                               "'longshore'"),
                    0, "");
  caller.enqueue(few_waiting);
  const double few = claim_p99(caller);
  const double empty = mib(sql, "'live', 'body', 'ready'");
  for (std::int64_t done = 0; done < crowd.waiting; done += few_waiting) {
    caller.enqueue(few_waiting);
  }
  const double million = 1e6;
  bench.report.line(
      "size.waiting-million",
      (mib(sql, "'live', 'body', 'ready'") - empty) * million / static_cast<double>(crowd.waiting),
      0, "MiB");
  bench.report.line(fmt::format("claim.p99.{}-waiting", crowd.waiting), claim_p99(caller), few,
                    "us", at_most(1.5));
  const double before = mib(sql, "'done', 'body'");
  add_finished(sql, crowd.finished);
  sql.ask("ANALYZE longshore.done");
  bench.report.line(
      "size.finished-million",
      (mib(sql, "'done', 'body'") - before) * million / static_cast<double>(crowd.finished), 0,
      "MiB");
  bench.report.line(fmt::format("claim.p99.{}-finished", crowd.finished), claim_p99(caller), few,
                    "us", at_most(1.5));
}

}  // namespace longshore::bench
