// The least that a queue on PostgreSQL does, written by hand in batches: each job is sent, claimed
// once with its payload and a lease, and ended once if the lease still holds. No attempts, keys,
// limits, histories or counts. It is planned well and travels in binary, as ours does.
#pragma once

#include <libpq-fe.h>

#include <string>
#include <vector>

#include "core/clock.h"
#include "core/random.h"
#include "core/uuid.h"
#include "store/postgres/values.h"

namespace longshore::bench {

void make_hand_tables(const std::string& url);

// One connection. Ends the program when the server refuses something.
class PostgresByHand {
 public:
  PostgresByHand(const std::string& url, std::uint64_t seed);
  ~PostgresByHand();
  PostgresByHand(const PostgresByHand&) = delete;
  PostgresByHand& operator=(const PostgresByHand&) = delete;

  void enqueue(int jobs);
  // Claims so many and completes them. How many there were.
  int work(int jobs);

 private:
  PGresult* run(const char* name, const postgres::Parameters& parameters);

  PGconn* connection_;
  SystemClock clock_;
  SeededRandom random_;
  JobIds ids_;
};

}  // namespace longshore::bench
