// Shared by the parts of the PostgreSQL benchmark.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "bench/measure.h"
#include "longshore/store.h"
#include "postgres/server.h"
#include "store/postgres/store.h"

namespace longshore::bench {

struct Bench {
  std::string folder;  // of the server
  std::string url;
  std::unique_ptr<Backend> backend;
  Report report;

  std::uint64_t seed = 0;

  Store& store() { return backend->store(); }
  std::uint64_t next_seed() { return ++seed; }
};

// The number of waiting and finished jobs besides those measured.
struct Crowd {
  std::int64_t waiting = 100'000;
  std::int64_t finished = 200'000;
};

// One call at a time on one connection.
void measure_latency(Bench& bench);
// Throughput while a transaction stays open, compared with before.
void measure_long_transaction(Bench& bench, std::int64_t jobs);
// Claims with few and many other jobs; disk space of a million jobs; dead rows.
void measure_crowds(Bench& bench, const Crowd& crowd);

}  // namespace longshore::bench
