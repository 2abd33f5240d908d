// Storms on PostgreSQL: faults of connections and of the server.
#pragma once

#include <cstdint>

#include "storm/storm.h"

namespace longshore::postgres_test {

using storm::Storm;

// Each uses its own server and injects `times` faults: connections cut during any statement, or the
// server restarted as after a power cut.
Storm cut_connections(int times, std::uint64_t seed);
Storm restart_server(int times, std::uint64_t seed);
// Also copies its data and restores the copy: one third of the faults each.
Storm set_back(int times, std::uint64_t seed);

}  // namespace longshore::postgres_test
