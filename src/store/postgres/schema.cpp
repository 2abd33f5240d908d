#include "store/postgres/schema.h"

#include "core/text/hash.h"
#include "store/notifications/condition_book.h"

namespace longshore::postgres {
namespace {

constexpr std::int64_t oldest_server = 130000;

constexpr Sql ask_settings = {
    "SELECT current_setting('server_version_num')::bigint, pg_is_in_recovery(), "
    "current_setting('transaction_read_only') = 'on', current_setting('fsync') = 'on', "
    "current_setting('full_page_writes') = 'on', current_setting('synchronous_commit') <> 'off', "
    "current_setting('server_version')"};
constexpr Sql has_tables = {"SELECT to_regclass('@migration') IS NOT NULL"};
constexpr Sql current_version = {"SELECT coalesce(max(version), 0)::bigint FROM @migration"};
constexpr Sql begin_migration = {"BEGIN"};
constexpr Sql wait_for_others = {"SELECT pg_advisory_xact_lock($1)"};
constexpr Sql has_schema = {"SELECT to_regnamespace($1) IS NOT NULL"};
constexpr Sql record_migration = {"INSERT INTO @migration VALUES ($1)"};
constexpr Sql commit_migration = {"COMMIT"};
constexpr Sql roll_back = {"ROLLBACK"};
constexpr Sql offer_rules = {
    "INSERT INTO @store(one, rules, config) VALUES (true, $1, 1) ON CONFLICT DO NOTHING"};
constexpr Sql ask_rules = {"SELECT rules FROM @store"};

Error refused(const Connection& connection, const std::string& why) {
  return {.code = Errc::refused, .message = connection.target().shown + " " + why};
}

Error failure(const Connection& connection) {
  return error_of(*connection.trouble(), connection.target().shown);
}

Parameters text(const std::string& value) {
  Parameters parameters;
  parameters.add(Type::text, value);
  return parameters;
}

// 0 where there are no tables yet.
std::int64_t version_of(Connection& connection) {
  RowSet there = connection.ask(has_tables);
  if (!there.next() || !there.boolean()) return 0;
  RowSet version = connection.ask(current_version);
  return version.next() ? version.integer() : 0;
}

Result<Nothing> accept_version(const Connection& connection, std::int64_t version) {
  const auto known = static_cast<std::int64_t>(migrations().size());
  if (version <= known) return Nothing{};
  return refused(connection, "has schema version " + std::to_string(version) +
                                 ", this Longshore knows " + std::to_string(known) +
                                 "; use a newer Longshore");
}

// A name of the migrations' own, so that two stores in one database do not wait for each other.
std::int64_t lock_number(const Connection& connection) {
  return static_cast<std::int64_t>(hash64("longshore migration " + connection.target().schema));
}

void run_migrations(Connection& connection, std::int64_t from) {
  RowSet there = connection.ask(has_schema, text(connection.target().schema));
  if (there.next() && !there.boolean()) {
    connection.run_script("CREATE SCHEMA " + connection.target().schema);
  }
  if (from == 0) connection.run_script("CREATE TABLE @migration(version bigint PRIMARY KEY)");
  const auto all = migrations();
  for (auto next = static_cast<std::size_t>(from); next < all.size(); ++next) {
    connection.run_script(all[next]);
    Parameters version;
    version.add(static_cast<std::int64_t>(next + 1));
    connection.ask(record_migration, std::move(version));
  }
}

}  // namespace

Result<Promise> ask_promise(Connection& connection) {
  RowSet row = connection.ask(ask_settings);
  if (!row.next()) return failure(connection);
  const std::int64_t version = row.integer();
  const bool standby = row.boolean();
  const bool read_only = row.boolean();
  const bool fsync = row.boolean();
  const bool full_pages = row.boolean();
  const bool synchronous = row.boolean();
  if (version < oldest_server) {
    return refused(connection, "is PostgreSQL " + row.text() + "; Longshore needs 13 or newer");
  }
  if (standby || read_only) {
    return refused(connection,
                   "takes no writes: it is a standby or set to read only; name the "
                   "primary");
  }
  if (!fsync) return Promise{Durability::c, "fsync is off; turn it on"};
  if (!full_pages) return Promise{Durability::c, "full_page_writes is off; turn it on"};
  if (!synchronous) return Promise{Durability::b, "synchronous_commit is off; turn it on"};
  return Promise{Durability::a};
}

Result<Promise> check_server(Connection& connection) {
  auto promise = ask_promise(connection);
  if (!promise || promise->durability <= connection.target().accepted.value_or(Durability::a))
    return promise;
  return refused(connection, "would lose acknowledged jobs: " + promise->weakness +
                                 ". This is durability class " + letter_of(promise->durability) +
                                 "; or accept that class and start again");
}

Result<Nothing> migrate(Connection& connection) {
  const std::int64_t before = version_of(connection);
  if (connection.trouble()) return failure(connection);
  if (const auto known = accept_version(connection, before); !known) return known.error();
  if (before == static_cast<std::int64_t>(migrations().size())) return Nothing{};
  connection.ask(begin_migration);
  Parameters lock;
  lock.add(lock_number(connection));
  connection.ask(wait_for_others, std::move(lock));
  // Another node may have done it while this one waited.
  const std::int64_t version = version_of(connection);
  const auto known = accept_version(connection, version);
  if (known) run_migrations(connection, version);
  connection.ask(commit_migration);
  if (!known) return known.error();
  if (!connection.trouble()) return Nothing{};
  const Error error = failure(connection);
  connection.forget_trouble();
  if (connection.alive()) connection.ask(roll_back);
  return error;
}

Result<std::string> migration_plan(Connection& connection) {
  const std::int64_t version = version_of(connection);
  if (connection.trouble()) return failure(connection);
  if (const auto known = accept_version(connection, version); !known) return known.error();
  const auto all = migrations();
  std::string plan;
  if (version == 0) {
    plan = "CREATE SCHEMA IF NOT EXISTS " + connection.target().schema + ";\n" +
           connection.in_schema("CREATE TABLE @migration(version bigint PRIMARY KEY);\n");
  }
  for (auto next = static_cast<std::size_t>(version); next < all.size(); ++next) {
    plan += connection.in_schema(all[next]);
    plan +=
        connection.in_schema("INSERT INTO @migration VALUES (") + std::to_string(next + 1) + ");\n";
  }
  return plan;
}

Result<RulesRecord> read_rules(Connection& connection, const Rules& asked) {
  RowSet known = connection.ask(ask_rules);
  std::string stored = known.next() ? known.text() : "";
  if (stored.empty()) {
    connection.ask(offer_rules, text(record_text(first_record(asked))));
    RowSet agreed = connection.ask(ask_rules);
    stored = agreed.next() ? agreed.text() : "";
  }
  if (connection.trouble()) return failure(connection);
  return agree_on_rules(stored, asked, connection.target().shown, "name another schema");
}

}  // namespace longshore::postgres
