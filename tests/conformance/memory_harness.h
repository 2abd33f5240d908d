// The reference store, with its own disk and clock.
#pragma once

#include <memory>

#include "conformance/harness.h"

namespace longshore::conformance {

std::unique_ptr<StoreHarness> open_memory_harness(const Rules& rules);

}  // namespace longshore::conformance
