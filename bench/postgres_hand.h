// Hand-written queues on PostgreSQL with batches: one statement enqueues jobs, one claims and one
// completes them. Planned and sent in binary like ours.
#pragma once

#include <libpq-fe.h>

#include <string>
#include <vector>

#include "core/ids/random.h"
#include "core/ids/uuid.h"
#include "core/time/clock.h"
#include "store/postgres/connection/values.h"

namespace longshore::bench {

// A connection with prepared statements, planned like ours. Ends the program on an error of the
// server.
class HandConnection {
 public:
  explicit HandConnection(const std::string& url);
  ~HandConnection() { PQfinish(connection_); }
  HandConnection(const HandConnection&) = delete;
  HandConnection& operator=(const HandConnection&) = delete;

  void run_script(const std::string& text);
  void prepare(const char* name, const std::string& text);
  PGresult* run(const char* name, const postgres::Parameters& parameters);

 private:
  PGconn* connection_;
};

struct HandStatements {
  std::string insert;  // of ids and payloads
  std::string claim;   // at most so many
  std::string complete;
  std::string sweep;  // vacuums dead rows, like ours does after a number of jobs
};

// Common to all of them.
class HandQueue {
 public:
  void enqueue(int jobs);

 protected:
  HandQueue(const std::string& url, const HandStatements& statements, std::uint64_t seed);
  void worked(int jobs);

  HandConnection connection_;
  SystemClock clock_;
  SeededRandom random_;
  JobIds ids_;

 private:
  const std::string sweep_;
  int since_sweep_ = 0;
};

// A minimal queue: each job is sent, claimed once with its payload and a lease, and completed once
// if the lease is still valid. No attempts, keys, limits, histories or counts.
class BareQueue : public HandQueue {
 public:
  static void make_tables(const std::string& url);
  BareQueue(const std::string& url, std::uint64_t seed);

  // Claims `count` jobs and completes them. Returns how many there were.
  int work(int jobs);
};

}  // namespace longshore::bench
