// What the parts of the PostgreSQL bench share.
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

// How much is to wait, and to have ended, beside what is measured.
struct Crowd {
  std::int64_t waiting = 100'000;
  std::int64_t finished = 200'000;
};

// One call at a time on one connection.
void measure_latency(Bench& bench);
// Throughput while somebody keeps a transaction open, beside that before.
void measure_long_transaction(Bench& bench, std::int64_t jobs);
// The claim beside few and many others; what a million jobs take on disk; what is left to vacuum.
void measure_crowds(Bench& bench, const Crowd& crowd);

}  // namespace longshore::bench
