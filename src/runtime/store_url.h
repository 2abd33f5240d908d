// Opens the store of a URL. The only file that knows all stores.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "core/time/clock.h"
#include "longshore/error.h"
#include "longshore/rules.h"
#include "longshore/store.h"

namespace longshore {

// `clock` must outlive the store. Errc::invalid for an unknown URL. `accepted` is the weakest
// durability that the store may have while it is open; none: see RedisOptions and PostgresOptions.
Result<std::unique_ptr<Backend>> open_store(std::string_view url, Clock& clock, const Rules& rules,
                                            std::optional<Durability> accepted = {});

// Returns the SQL that migrates the tables of a store, and runs it unless `how` is plan. Empty if
// they are up to date or the store has none.
enum class Migrating { plan, run };
Result<std::string> migrate_store(std::string_view url, Clock& clock, Migrating how);

}  // namespace longshore
