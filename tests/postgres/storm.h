// What happens to the connections of a store on PostgreSQL, and to the server.
#pragma once

#include <cstdint>

#include "storm/storm.h"

namespace longshore::postgres_test {

using storm::Storm;

// A server of its own, and so many faults of one kind: connections ended in the middle of whatever
// statement they are at, or the server restarted as after a power cut.
Storm cut_connections(int times, std::uint64_t seed);
Storm restart_server(int times, std::uint64_t seed);
// Also copies of its data that take the place of the data: one fault of three each.
Storm set_back(int times, std::uint64_t seed);

}  // namespace longshore::postgres_test
