#include "store/postgres/connection/readers.h"

namespace longshore::postgres {
namespace {

constexpr std::size_t idle_max = 4;
constexpr Sql begin_snapshot = {"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"};
constexpr Sql end_snapshot = {"COMMIT"};

}  // namespace

Result<std::unique_ptr<Connection>> Readers::take() {
  {
    MutexLock lock(mutex_);
    if (!idle_.empty()) {
      auto connection = std::move(idle_.back());
      idle_.pop_back();
      return connection;
    }
  }
  return Connection::open(target_);
}

void Readers::give_back(std::unique_ptr<Connection> connection) {
  MutexLock lock(mutex_);
  if (idle_.size() < idle_max) idle_.push_back(std::move(connection));
}

void Readers::begin(Connection& connection) { connection.precede(begin_snapshot); }

void Readers::end(Connection& connection) {
  connection.enqueue_statement(end_snapshot);
  connection.exchange();
}

}  // namespace longshore::postgres
