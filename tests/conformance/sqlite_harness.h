// A SQLite store on a real file in a directory of its own, with a clock in the test's hand.
#pragma once

#include <memory>

#include "conformance/harness.h"

namespace longshore::conformance {

std::unique_ptr<StoreHarness> open_sqlite_harness(const Rules& rules);

}  // namespace longshore::conformance
