// Mends a store that nobody holds, as far as that is possible without making anything up: what
// follows from the jobs themselves is made anew, and what belongs to no job is taken away. A job
// that contradicts itself is left as it is, for a person to look at.
#pragma once

#include <string>
#include <vector>

#include "core/time/clock.h"
#include "longshore/error.h"

namespace longshore {

// What was done, a sentence each; none if there was nothing to do. All of it is one transaction.
// Errc::refused as open_sqlite, Errc::corrupt if the file is beyond this.
Result<std::vector<std::string>> repair_sqlite(const std::string& path, Clock& clock);

// Sets the store's time back to the clock, which must be right, and with it every time that lies
// ahead: what was written down as past happened now at the latest, and what was to come is as far
// away as it was. `keys_kept`: how long a key outlives its job. What was done, a sentence each;
// none if the store is not ahead.
Result<std::vector<std::string>> repair_clock_sqlite(const std::string& path, Clock& clock,
                                                     Duration keys_kept);

}  // namespace longshore
