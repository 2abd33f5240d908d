// The tables of a store, and how an older file becomes one of today.
#pragma once

#include <span>
#include <string>

#include "core/policy/rules_record.h"
#include "longshore/error.h"
#include "longshore/rules.h"
#include "store/sqlite/file/connection.h"

namespace longshore::sqlite {

// The text of each migration, in order: the n-th makes version n of version n - 1.
std::span<const char* const> migrations();

// Sets how the connection of the writer works and reads back what durability rests on.
Result<Nothing> configure_writer(Database& database, const std::string& path);

// Creates the tables in an empty file, or brings older ones up to date, each migration in one
// transaction. Before that, what an earlier process left in the log is put on the disk for sure.
// Errc::refused for a file that is not Longshore's, or of a newer version.
Result<Nothing> migrate(Database& database, const std::string& path);

// The SQL that migrate() would run; empty if there is nothing to do. Changes nothing.
Result<std::string> migration_plan(Database& database, const std::string& path);

// Records the rules in a new store; of another, reads those it has. See core's agree_on_rules.
Result<RulesRecord> read_rules(Database& database, const Rules& asked, const std::string& path);

}  // namespace longshore::sqlite
