// The writing side: a small pool of lanes. Each call is one transaction on one writer; it waits for
// a writer when all are at work.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/sync/mutex.h"
#include "longshore/store.h"
#include "store/postgres/connection/vacuumer.h"
#include "store/postgres/connection/wakeups.h"
#include "store/postgres/connection/write_connection.h"
#include "store/postgres/write/transaction.h"

namespace longshore::postgres {

// Safe to share between threads.
class Writer {
 public:
  // All must outlive it. `conditions` is told what the server promises, `alarm` what no caller may
  // see: that the database went back.
  Writer(const Target& target, RulesRecord rules, const StoreTime::Saved& saved,
         std::function<std::int64_t()> steady, PostgresWakeups& wakeups, ConditionBook& conditions,
         std::function<void(const std::string&)> alarm);

  // A connection that is open already, and its commit_counter. Before the first commit.
  void adopt(std::unique_ptr<Connection> connection, const CommitCounterId& commit_counter);
  Result<Committed> commit(std::span<const Command> commands);
  // The latest time that was told to anybody.
  Instant highest() const { return shared_.time.at(shared_.steady_now()); }
  StoreTime& time() { return shared_.time; }
  const StoreTime& time() const { return shared_.time; }
  // The database was asked, and has just answered that it has this time.
  void heard(Instant told, Duration asked);
  Duration steady_now() const { return shared_.steady_now(); }
  std::shared_ptr<const RulesRecord> rules() const { return shared_.config.get()->rules; }

 private:
  struct Attempt {
    std::optional<Committed> committed;
    StickyError trouble;    // meaningful when there is no answer
    bool begun = false;     // something may have been written
    bool deferred = false;  // claims took what they find for plain
  };

  std::unique_ptr<WriteConnection> take();
  void give_back(std::unique_ptr<WriteConnection> writer);
  Result<Committed> commit_on(WriteConnection& writer, std::span<const Command> commands);
  void rest();
  void write_step(WriteConnection& writer);
  void sweep_if_due(WriteConnection& writer, const Committed& committed);
  Attempt attempt(WriteConnection& writer, std::span<const Command> commands, Trust trust);
  std::vector<Verdict> judge(PostgresTransaction& work, std::span<const Command> commands,
                             std::vector<JobEvent>& events);
  // The claims that were deferred, once their jobs are known.
  static void judge_claims(PostgresTransaction& work, std::span<const Command> commands,
                           Committed& committed);
  // Trust that was misplaced is missing for the next commits: requests that are sent again come in
  // crowds, after a cut or an outage, and so do jobs that have run before.
  Trust next_trust();

  const Target& target_;
  PostgresWakeups& wakeups_;
  const std::function<void(const std::string&)> alarm_;
  Shared shared_;
  Vacuumer vacuumer_;
  std::atomic<int> wary_for_ = 0;     // so many commits look whether ids are new
  std::atomic<int> looking_for_ = 0;  // so many look what claims may have

  Mutex mutex_;
  std::condition_variable_any freed_;
  std::condition_variable_any closed_;  // never told: whoever waits here waits for the time
  std::vector<std::unique_ptr<WriteConnection>> idle_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore::postgres
