// Repairs a store that no server uses, as far as the kind of store allows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/time/clock.h"
#include "longshore/error.h"
#include "longshore/rules.h"

namespace longshore {

// Returns a message for each repair. A later audit finds what could not be repaired.
Result<std::vector<std::string>> repair_store(std::string_view url, Clock& clock,
                                              const Rules& rules);

// Sets the time of a SQLite store back to the clock; see docs/clock.md. Errc::invalid for another
// kind of store.
Result<std::vector<std::string>> repair_clock(std::string_view url, Clock& clock,
                                              const Rules& rules);

}  // namespace longshore
