// The one who writes. Any number of threads may commit at once: one leads, takes what has gathered
// meanwhile, and writes all of it in one transaction, one sync for all who wait. Alone, a commit
// starts at once, on the caller's own thread; under load a thread of the writer's goes on from
// transaction to transaction; no timer is involved.
//
// Any failure that leaves the file in doubt is final: nothing is acknowledged from then on, and
// broken() says why. A full disk is not such a failure.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/sync/mutex.h"
#include "core/time/clock.h"
#include "core/time/store_time.h"
#include "longshore/error.h"
#include "longshore/store.h"
#include "store/notifications/local_wakeups.h"
#include "store/sqlite/file/connection.h"
#include "store/sqlite/file/disk_guard.h"
#include "store/sqlite/file/file_guard.h"
#include "store/sqlite/file/log_limiter.h"
#include "store/sqlite/write/one_time_event.h"
#include "store/sqlite/write/transaction.h"

namespace longshore::sqlite {

struct WriterOptions {
  MemoryLimits memory;
  int checkpoint_pages = 4096;  // how long the log may grow before it is copied back
  // How long before reads wait for it to begin anew: 64 MiB. At twice that lengthy ones are ended.
  int log_pages_max = 16'384;
};

// What the writer has done since it was opened.
struct WriterCounts {
  std::int64_t commits = 0;  // calls answered
  std::int64_t commands = 0;
  std::int64_t transactions = 0;
  std::int64_t checkpoints = 0;
};

// Safe to share between threads.
class Writer {
 public:
  // REQUIRES: the database is configured and migrated. `rules`, `wakeups` and `file` (null for a
  // store that has no file) must outlive the writer.
  Writer(std::unique_ptr<Database> database, RulesCopy& rules, Clock& clock,
         const WriterOptions& options, std::unique_ptr<DiskGuard> guard, LocalWakeups& wakeups,
         FileGuard* file);
  ~Writer();

  // For those who read the file.
  LogLimiter& gate() { return gate_; }

  // Reads what memory holds of the store, and looks at the clock; before the first commit.
  Result<Nothing> load();

  Result<Committed> commit(std::span<const Command> commands);

  // Runs `task` while nobody writes, between two commits. It must change nothing.
  Result<Nothing> alone(const std::function<void(SqliteTransaction&)>& task);

  Instant now() { return clock_->now(); }
  StoreTime& time() { return clock_->time(); }
  const StoreTime& time() const { return clock_->time(); }
  // Set once the store can no longer be trusted to remember.
  std::optional<Error> broken() const;
  WriterCounts counts() const;

 private:
  struct Request {
    std::span<const Command> commands;
    std::vector<std::pair<std::size_t, Refusal>> refused;  // commands that no store could take
    const std::function<void(SqliteTransaction&)>* task = nullptr;
    std::size_t bytes = 0;
    std::size_t round = 0;               // in which it was queued
    Committed committed;                 // with room for what there will be to say
    std::optional<Error> error;          // nothing was committed
    std::atomic<bool> answered = false;  // the last that anybody else writes
  };
  using Batch = std::vector<Request*>;

  Result<Committed> wait_for(Request& request);
  Batch take_batch();
  void lead();
  void pass_on();
  void stand_by();
  void lead_on();
  bool log_is_long();
  bool log_is_too_long() const;
  void deliver(const Batch& batch);
  // Those who came in one round, that is between two transactions, wait together. Rounds that
  // share a gong wake each other for nothing, which is ordinary.
  OneTimeEvent& gong_of(std::size_t round) { return gongs_[round % gongs_.size()]; }

  void write(const Batch& batch);
  void try_to_write(const Batch& batch);
  void conclude(const Batch& batch);
  void write_on_full_disk(const Batch& batch);
  void write_singly(const Batch& batch);
  bool transact(const Batch& batch, bool refuse_new);
  void judge_all(Request& request, bool refuse_new);
  Verdict judge(const Command& command, Committed& committed, bool refuse_new);
  void follow_jump();
  void answer_all(const Batch& batch, const Error& error);
  bool roll_back();
  void break_down();
  void break_down(Errc code, const std::string& why);
  void checkpoint();

  // Constant after construction.
  RulesCopy& rules_;
  const WriterOptions options_;

  // Touched by the leader alone.
  std::unique_ptr<Database> database_;
  SqliteTransaction work_;
  Statement begin_;
  Statement commit_;
  std::unique_ptr<DiskGuard> guard_;
  FileGuard* const file_;
  bool disk_full_ = false;
  bool time_matters_ = false;
  Duration moved_;  // by which leases are moved in this transaction
  Duration owed_;   // by which they were in one that was rolled back
  int log_pages_ = 0;
  int log_pages_copied_ = 0;
  LogLimiter gate_;

  std::unique_ptr<MonotonicClock> clock_;
  Clock& followed_;
  LocalWakeups& wakeups_;
  std::array<OneTimeEvent, 4> gongs_;
  OneTimeEvent call_;  // for the standing leader

  mutable Mutex mutex_;
  std::deque<Request*> queue_ LONGSHORE_GUARDED_BY(mutex_);
  bool led_ LONGSHORE_GUARDED_BY(mutex_) = false;
  bool called_ LONGSHORE_GUARDED_BY(mutex_) = false;  // the standing leader is to lead
  bool closing_ LONGSHORE_GUARDED_BY(mutex_) = false;
  std::size_t round_ LONGSHORE_GUARDED_BY(mutex_) = 0;
  std::optional<Error> broken_ LONGSHORE_GUARDED_BY(mutex_);
  WriterCounts counts_ LONGSHORE_GUARDED_BY(mutex_);
  std::jthread standing_ LONGSHORE_GUARDED_BY(mutex_);  // once it was needed
};

}  // namespace longshore::sqlite
