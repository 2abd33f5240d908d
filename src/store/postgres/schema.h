// The tables of a store, how they come to be, and whether a server may be trusted with them.
#pragma once

#include <span>
#include <string>

#include "core/rules_record.h"
#include "longshore/store.h"
#include "store/postgres/connection.h"

namespace longshore::postgres {

// Each brings the schema one version further. Written from migrations/*.sql.
std::span<const char* const> migrations();

// What the server promises of an acknowledged commit. Errc::refused for one that is too old, takes
// no writes, or promises less than the target accepts.
Result<Durability> check_server(Connection& connection);

// Brings the schema up to date, in one transaction that other nodes wait for. Errc::refused for a
// schema that a newer Longshore wrote.
Result<Nothing> migrate(Connection& connection);
// The SQL that migrate() would run, for those who want to read or run it themselves.
Result<std::string> migration_plan(Connection& connection);

// Records the rules in a new store; of another, reads those it has. See core's agree_on_rules.
Result<RulesRecord> read_rules(Connection& connection, const Rules& asked);

}  // namespace longshore::postgres
