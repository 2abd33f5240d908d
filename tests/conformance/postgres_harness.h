// A PostgreSQL store in its own schema on a real server, with a clock that the test controls.
#pragma once

#include <memory>

#include "conformance/harness.h"

namespace longshore::conformance {

std::unique_ptr<StoreHarness> open_postgres_harness(const Rules& rules);

}  // namespace longshore::conformance
