// A PostgreSQL store in a schema of its own on a real server, with its clock in the test's hand.
#pragma once

#include <memory>

#include "conformance/harness.h"

namespace longshore::conformance {

std::unique_ptr<StoreHarness> open_postgres_harness(const Rules& rules);

}  // namespace longshore::conformance
