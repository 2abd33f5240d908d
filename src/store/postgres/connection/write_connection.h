// A WriteConnection is one connection that commits, with what is known of it across transactions
// and across reconnects: how many of its commits were acknowledged. A server that knows fewer has
// lost some.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "longshore/error.h"
#include "longshore/id.h"
#include "longshore/time.h"
#include "store/notifications/condition_book.h"
#include "store/postgres/connection/connection.h"

namespace longshore::postgres {

using CommitCounterId = Id<struct CommitCounterTag>;

// Whether a transaction has written something; `perhaps` if the server alone will know.
enum class Wrote { no, perhaps, yes };

// Used by one thread at a time.
class WriteConnection {
 public:
  // All must outlive it. `steady`: microseconds as they pass here. `conditions` is told what the
  // server promises.
  WriteConnection(const Target& target, const std::function<std::int64_t()>& steady,
                  ConditionBook& conditions)
      : target_(target), steady_(steady), conditions_(conditions) {}

  // A connection that worked when it was last used, or a new one, of a server that promised what
  // was accepted within the last second. Errc::unavailable if there is none to be had, and once,
  // with an alarm to take, after the database went back in time.
  Result<Nothing> connect();
  void adopt(std::unique_ptr<Connection> connection, const CommitCounterId& commit_counter);
  void disconnect() {
    connection_.reset();
    asked_at_.reset();
  }
  Connection& connection() { return *connection_; }

  // What a commit adds to, so that lanes do not wait for each other.
  int slot() const { return static_cast<int>(counter_.low % slots); }
  // Who says that a transaction commits; always, or only if it wrote something.
  struct CommitCount {
    CommitCounterId id;
    bool always = false;
  };
  // For a transaction that says so itself, and whether it did.
  CommitCount commit_counter(Instant now);
  void acknowledged(bool wrote) { commits_ += wrote ? 1 : 0; }

  // Says in the transaction that it commits, if it wrote something or that was not said for long.
  void enqueue_commit_count(Instant now, Wrote wrote);
  // The transaction has committed, and this is what its last exchange answered.
  void acknowledged(const std::vector<RowSet>& answers);

  // Set when an acknowledged commit turned out to be lost, until taken.
  std::optional<std::string> take_alarm();

 private:
  static constexpr std::uint64_t slots = 16;

  Result<Nothing> accept_server();
  bool was_asked_lately() const;
  void prepare();
  // Whether its commit_counter may be gone: those that say nothing for a week are forgotten.
  bool rested_for_long();
  Result<Nothing> begin_counter();
  Result<Nothing> compare_counter();

  const Target& target_;
  const std::function<std::int64_t()>& steady_;
  ConditionBook& conditions_;
  std::int64_t used_at_ = 0;  // by the steady clock
  // When this connection was asked what its server promises, by the same clock.
  std::optional<std::int64_t> asked_at_;
  std::unique_ptr<Connection> connection_;
  CommitCounterId counter_;
  bool has_counter_ = false;
  std::int64_t commits_ = 0;
  Instant counted_at_;                     // when the commit_counter was last told
  std::optional<std::size_t> counter_at_;  // among the last answers
  std::optional<std::string> alarm_;
};

}  // namespace longshore::postgres
