// A SQLite store on a real file in its own directory, with a clock that the test controls.
#pragma once

#include <memory>

#include "conformance/harness.h"

namespace longshore::conformance {

std::unique_ptr<StoreHarness> open_sqlite_harness(const Rules& rules);

}  // namespace longshore::conformance
