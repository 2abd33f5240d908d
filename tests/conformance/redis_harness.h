// Redis for the suite: a store of its own on the tests' server, and on their cluster.
#pragma once

#include <memory>

#include "conformance/harness.h"

namespace longshore::conformance {

std::unique_ptr<StoreHarness> open_redis_harness(const Rules& rules);
std::unique_ptr<StoreHarness> open_redis_cluster_harness(const Rules& rules);

}  // namespace longshore::conformance
