// From a URL to an open store. The only place that names the stores.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "core/time/clock.h"
#include "longshore/error.h"
#include "longshore/rules.h"
#include "longshore/store.h"

namespace longshore {

// `clock` must outlive the store. Errc::invalid for a URL that no store knows. `accepted` is the
// least durability that a store may promise while it is open; none: see RedisOptions and
// PostgresOptions.
Result<std::unique_ptr<Backend>> open_store(std::string_view url, Clock& clock, const Rules& rules,
                                            std::optional<Durability> accepted = {});

// The SQL that brings the tables of a store up to date; empty if they are, or if it has none. It
// is only told, or it is run and told.
enum class Migrating { plan, run };
Result<std::string> migrate_store(std::string_view url, Clock& clock, Migrating how);

}  // namespace longshore
