#include "e2e/new_store.h"

#include <unistd.h>

#include <stdexcept>

#ifdef LONGSHORE_POSTGRES
#include "postgres/server.h"
#endif
#ifdef LONGSHORE_REDIS
#include "redis/server.h"
#endif

namespace longshore::e2e {
namespace {

// Unique to this test.
[[maybe_unused]] std::string new_name() {
  static int number = 0;
  return "client_" + std::to_string(::getpid()) + "_" + std::to_string(++number);
}

}  // namespace

std::vector<std::string> store_kinds() {
  std::vector<std::string> kinds = {"sqlite"};
#ifdef LONGSHORE_POSTGRES
  kinds.emplace_back("postgres");
#endif
#ifdef LONGSHORE_REDIS
  kinds.emplace_back("redis");
#endif
  return kinds;
}

std::string new_store(const std::string& kind, const std::string& folder) {
  if (kind == "sqlite") return "sqlite:" + folder + "/jobs.db";
#ifdef LONGSHORE_POSTGRES
  if (kind == "postgres") return postgres_test::server_url("schema=" + new_name());
#endif
#ifdef LONGSHORE_REDIS
  if (kind == "redis") return redis_test::server_url("prefix=" + new_name());
#endif
  throw std::runtime_error("no store of kind " + kind);
}

}  // namespace longshore::e2e
