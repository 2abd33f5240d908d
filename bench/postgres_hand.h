// The same work as SQL would be written by hand for it: a narrow ready table, leases, jobs and what
// they ended with, in batches of arrays. It keeps no history, judges nothing and counts nothing.
#pragma once

#include <libpq-fe.h>

#include <cstdint>
#include <string>

namespace longshore::bench {

// Makes the tables of the hand-written reference, empty.
void make_hand_tables(const std::string& url);

// One connection at work.
class PostgresByHand {
 public:
  explicit PostgresByHand(const std::string& url);
  ~PostgresByHand();
  PostgresByHand(const PostgresByHand&) = delete;
  PostgresByHand& operator=(const PostgresByHand&) = delete;

  // One transaction each.
  void enqueue(int jobs);
  // Claims so many, in one transaction, and completes them in another. How many there were.
  int work(int jobs);

 private:
  PGconn* connection_;
  const std::string payload_;
};

}  // namespace longshore::bench
