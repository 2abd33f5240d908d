#include <algorithm>

#include "conformance/harness.h"
#include "conformance/memory_harness.h"
#include "conformance/sqlite_harness.h"
#include "core/assert.h"
#ifdef LONGSHORE_POSTGRES
#include "conformance/postgres_harness.h"
#endif
#ifdef LONGSHORE_REDIS
#include "conformance/redis_harness.h"
#endif

namespace longshore::conformance {

const std::vector<StoreKind>& stores() {
  static const std::vector<StoreKind> kinds = {
      {"memory", open_memory_harness},     {"sqlite", open_sqlite_harness},
#ifdef LONGSHORE_POSTGRES
      {"postgres", open_postgres_harness},
#endif
#ifdef LONGSHORE_REDIS
      {"redis", open_redis_harness},       {"redis_cluster", open_redis_cluster_harness},
#endif
  };
  return kinds;
}

std::unique_ptr<StoreHarness> open_store(const std::string& name, const Rules& rules) {
  const auto kind = std::ranges::find(stores(), name, &StoreKind::name);
  LONGSHORE_ASSERT(kind != stores().end(), "no store has this name");
  return kind->open(rules);
}

}  // namespace longshore::conformance
