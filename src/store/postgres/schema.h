// The tables of a store, how they come to be, and whether a server may be trusted with them.
#pragma once

#include <span>
#include <string>

#include "core/policy/rules_record.h"
#include "longshore/store.h"
#include "store/postgres/connection/connection.h"

namespace longshore::postgres {

// Each brings the schema one version further. Written from migrations/*.sql.
std::span<const char* const> migrations();

// What a server promises of an acknowledged commit, and what to change if that is not class A.
struct Promise {
  Durability durability = Durability::c;
  std::string weakness = {};
};
// Errc::refused for a server that is too old or takes no writes.
Result<Promise> ask_promise(Connection& connection);
// The same; Errc::refused also if it promises less than the target accepts.
Result<Promise> check_server(Connection& connection);

// Brings the schema up to date, in one transaction that other nodes wait for. Errc::refused for a
// schema that a newer Longshore wrote.
Result<Nothing> migrate(Connection& connection);
// The SQL that migrate() would run, for those who want to read or run it themselves.
Result<std::string> migration_plan(Connection& connection);

// Records the rules in a new store; of another, reads those it has. See core's agree_on_rules.
Result<RulesRecord> read_rules(Connection& connection, const Rules& asked);

}  // namespace longshore::postgres
