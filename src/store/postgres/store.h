// The shared store: many nodes on one PostgreSQL database, none of them the leader.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/time/clock.h"
#include "longshore/error.h"
#include "longshore/rules.h"
#include "longshore/store.h"

namespace longshore {

struct PostgresOptions {
  std::string url;  // postgres://..., see docs/postgres.md
  // How time passes at this node, between two answers of the database's clock.
  std::function<std::int64_t()> steady = steady_micros;
  // The least durability that commits are acknowledged with, if the URL does not ask for more. If
  // neither says: class A.
  std::optional<Durability> accepted = {};
};

// Creates or migrates the schema if need be. Errc::invalid for a URL that is none, Errc::refused
// for a server that is too old, takes no writes or promises too little, and for a schema that is
// newer or has other rules of those that a profile fixes; Errc::unavailable for a server that
// cannot be reached.
Result<std::unique_ptr<Backend>> open_postgres(const PostgresOptions& options, const Rules& rules);

// The SQL that would bring the schema up to date; empty if it is.
Result<std::string> plan_postgres(const std::string& url);
// Brings the schema up to date, creating it if need be; answers the SQL that was run.
Result<std::string> migrate_postgres(const std::string& url);

}  // namespace longshore
