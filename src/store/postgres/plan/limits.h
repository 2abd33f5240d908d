// How many jobs of a limited queue or type run. Whoever is about to start one locks its rule first,
// so that two claims never see the same free place. To see that there is none takes no lock.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "store/postgres/connection/connection.h"
#include "store/postgres/write/placement.h"

namespace longshore::postgres {

class PostgresTransaction;

// Used by one transaction.
class Limits {
 public:
  Limits(PostgresTransaction& work, Connection& connection)
      : work_(work), connection_(connection) {}

  // Lines up what counts the jobs of these namespaces without a lock, before anything was done;
  // `read` takes the answers from `first` on, and says where they end.
  void enqueue_statement(const std::set<std::string>& namespaces);
  std::size_t read(std::vector<RowSet>& answers, std::size_t first);

  // Whether no more may run, by what was counted last.
  bool queue_is_full(const std::string& ns, const std::string& queue);
  // The types of which no more may run, in order.
  std::vector<std::string> full_types(const std::string& ns);
  // Whether one more job like this may run; from here on no other transaction starts one.
  bool admits(const Job& job);

  // One more, or one fewer, runs by what the transaction has done.
  void count(const Job& job, std::int64_t by);

 private:
  void lock(const std::string& ns);
  void forget(const std::string& ns);
  void enqueue_counts(const std::string& ns);
  std::size_t read_counts(const std::string& ns, std::vector<RowSet>& answers, std::size_t first);

  PostgresTransaction& work_;
  Connection& connection_;
  std::set<std::string> counted_;  // namespaces
  std::set<std::string> locked_;   // some of those
  std::map<Scoped, std::int64_t> by_queue_;
  std::map<Scoped, std::int64_t> by_type_;
};

}  // namespace longshore::postgres
