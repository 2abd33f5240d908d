// How many jobs of a limited queue or type run. Whoever claims from one locks its rule first, so
// that two claims never see the same free place.
#pragma once

#include <map>
#include <set>
#include <string>

#include "store/postgres/connection.h"
#include "store/postgres/standing.h"

namespace longshore::postgres {

class UnitOfWork;

// Used by one transaction.
class Limits {
 public:
  Limits(UnitOfWork& work, Connection& connection) : work_(work), connection_(connection) {}

  // Whether one more may run now, by the rules of the queue or the type.
  bool queue_is_free(const std::string& ns, const std::string& queue);
  bool type_is_free(const std::string& ns, const std::string& type);

  // One more, or one fewer, runs by what the transaction has done.
  void count(const Job& job, std::int64_t by);

 private:
  void lock(const std::string& ns);

  UnitOfWork& work_;
  Connection& connection_;
  std::set<std::string> locked_;  // namespaces
  std::map<Scoped, std::int64_t> by_queue_;
  std::map<Scoped, std::int64_t> by_type_;
};

}  // namespace longshore::postgres
