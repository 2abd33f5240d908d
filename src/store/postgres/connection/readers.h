// Connections for reading. Each answer is of one snapshot; none writes.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/sync/mutex.h"
#include "longshore/catalog.h"
#include "longshore/error.h"
#include "longshore/rules.h"
#include "store/postgres/connection/connection.h"

namespace longshore::postgres {

struct Reader {
  Connection& connection;
  const Policy& usual;  // what a row leaves out
};

// Safe to share between threads.
class Readers {
 public:
  Readers(Target target, const Policy& usual) : target_(std::move(target)), usual_(usual) {}

  // Runs `ask(Reader&)`, which answers a Result, on one snapshot of the store. A connection that
  // was lost while nobody used it is replaced once. The statement under way is canceled when `stop`
  // says so.
  template <class Ask>
  auto read(const Ask& ask, const ReadStop& stop = {}) -> decltype(ask(std::declval<Reader&>())) {
    for (bool again = true;; again = false) {
      auto connection = take();
      if (!connection) return connection.error();
      Reader reader{**connection, usual_};
      begin(**connection);
      (*connection)->heed(stop ? &stop : nullptr);
      auto answer = ask(reader);
      (*connection)->heed(nullptr);
      if (const auto& stopped = (*connection)->stopped()) return *stopped;
      end(**connection);
      if (!(*connection)->trouble()) {
        give_back(std::move(*connection));
        return answer;
      }
      const StickyError trouble = *(*connection)->trouble();
      if (trouble.kind == StickyError::Kind::lost && again) continue;
      return error_of(trouble, target_.shown);
    }
  }

 private:
  Result<std::unique_ptr<Connection>> take();
  void give_back(std::unique_ptr<Connection> connection);
  static void begin(Connection& connection);
  static void end(Connection& connection);

  // Constant after construction.
  const Target target_;
  const Policy usual_;

  Mutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore::postgres
