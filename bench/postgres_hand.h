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

// A connection with prepared statements, planned as ours are. Ends the program when the server
// refuses something.
class HandConnection {
 public:
  explicit HandConnection(const std::string& url);
  ~HandConnection() { PQfinish(connection_); }
  HandConnection(const HandConnection&) = delete;
  HandConnection& operator=(const HandConnection&) = delete;

  void prepare(const char* name, const std::string& text);
  PGresult* run(const char* name, const postgres::Parameters& parameters);

 private:
  PGconn* connection_;
};

class PostgresByHand {
 public:
  PostgresByHand(const std::string& url, std::uint64_t seed);

  void enqueue(int jobs);
  // Claims so many and completes them. How many there were.
  int work(int jobs);

 private:
  HandConnection connection_;
  SystemClock clock_;
  SeededRandom random_;
  JobIds ids_;
};

}  // namespace longshore::bench
