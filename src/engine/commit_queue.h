// Group commit: commands of all callers and kinds become one call to the store, so that they share
// one sync. Without a backlog a command is committed at once; while a commit runs, the next batch
// collects. Has no timer, thread or clock.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/sync/fifo.h"
#include "core/sync/mutex.h"
#include "engine/urgency.h"
#include "longshore/store.h"

namespace longshore {

// The answer to a command, and its time by the store's clock.
struct Answered {
  Verdict verdict;
  Instant at;
};
using Answer = std::move_only_function<void(Result<Answered>)>;

// Woken when there may be something to commit. Safe from any thread.
class Waker {
 public:
  virtual ~Waker() = default;
  virtual void wake() = 0;
};

// A command and the callback for its answer.
struct Entry {
  Command command;
  Answer answer;
};

// An entry that joins a batch before the command with this index, or at the end.
struct Joining {
  Entry entry;
  std::size_t before = 0;
};

// Called before and after every commit, without a lock held, on the committing thread.
class CommitHooks {
 public:
  virtual ~CommitHooks() = default;
  // The waiting claims that should join this batch; those for one index keep their order.
  virtual std::vector<Joining> joining(std::span<const Command> batch) = 0;
  // After the store answered and before the callbacks are called.
  virtual void committed(const Committed& committed) = 0;
  // The same for errors: of a whole commit, or, after committed(), of a part of one.
  virtual void failed(const Error&) {}
  // After the callbacks were called.
  virtual void told() = 0;
};

struct CommitLimits {
  std::size_t jobs_per_commit = 1024;
  std::size_t bytes_per_commit = 4 * 1024 * 1024;
  // Of all claims together. Claims of many queues and types take turns, so that others do not wait
  // for them.
  std::size_t lookups_per_commit = 4 * 1024;
  std::size_t upkeep_per_commit = 64;  // commands, beside the jobs and bytes above
  std::size_t jobs_waiting = 64 * 1024;
  std::size_t bytes_waiting = 64 * 1024 * 1024;
  std::size_t upkeep_waiting = 4 * 1024;  // commands
  // Commands of bulk calls, in addition to the others; more if nothing else waits.
  std::size_t bulk_per_commit = 32;
  std::size_t bulk_per_idle_commit = 256;
  std::size_t bulk_waiting = 64 * 1024;
};

// Safe to share between threads. Callbacks are called by commit_once or stop, on its thread.
class CommitQueue {
 public:
  // Store, waker and hooks must outlive the queue.
  CommitQueue(Store& store, Waker& waker, CommitHooks& hooks, const CommitLimits& limits);
  ~CommitQueue();

  // Queues the command, or answers at once: overloaded if the queue is full (never for commands
  // that settle jobs; upkeep has its own limit), unavailable once stopped.
  void submit(Command command, Answer answer);
  // Commands that settle jobs, executed in this order and in one commit. Always accepted.
  void submit_in_order(std::vector<Entry> entries);
  // One command of a bulk call. Has the lowest priority and its own limit, and a few of them go
  // with every commit; no other command is rejected because of it.
  void submit_bulk(Command command, Answer answer);

  // Commits one batch, most urgent commands first; false if nothing was queued. Every commit
  // includes upkeep. A command that does not fit is passed over, but only a few times; then it is
  // taken anyway. At most Capabilities::max_concurrent_commits threads may be in here.
  bool commit_once();

  // Answers everything queued with unavailable, and all later commands too. Idempotent.
  void stop();

  // Jobs that wait to be committed. Excludes claims of many queues and types, which take turns
  // among themselves and should not cause other requests to be rejected.
  std::size_t waiting() const;

 private:
  // The commands of one commit and their callbacks, in the same order.
  struct Batch {
    std::vector<Command> commands;
    std::vector<Answer> answers;
    void reserve(std::size_t size);
    void add(Entry&& entry);
    void join(std::vector<Joining>&& joining);
  };

  struct Waiting {
    Entry entry;
    Weight weight;
    int passed_over = 0;           // number of commits it did not fit into
    std::vector<Entry> rest = {};  // after the first, in the same commit
  };
  // Oldest first: entries that were passed over, then the rest.
  struct Line {
    std::vector<Waiting> passed_over;
    Fifo<Waiting> rest;
  };
  class Room;

  Batch take_batch();
  bool has_room(Urgency urgency, const Weight& weight) const;
  void add_load(const Weight& weight);
  void drop_load(const Weight& weight);
  Line& line(Urgency urgency);
  void take(Urgency urgency, Waiting waiting);
  static void refuse(Waiting& waiting, const Error& error);
  std::vector<Waiting> take_upkeep();
  std::vector<Waiting> take_bulk(bool idle);
  // Takes what fits. After `passes` entries that do not fit, the entries behind them wait.
  void take_fitting(Line& line, Room& room, std::size_t passes, std::vector<Waiting>& taken);
  // Takes the entry that was passed over most often, if that is often enough.
  void take_overdue(Room& room, std::vector<Waiting>& leases, std::vector<Waiting>& enqueues);
  void answer_all(Batch& batch, Result<Committed> outcome);

  // Constant after construction.
  Store& store_;
  Waker& waker_;
  CommitHooks& hooks_;
  const CommitLimits limits_;

  mutable Mutex mutex_;
  // Guarded by mutex_.
  std::array<Line, urgency_count> waiting_ LONGSHORE_GUARDED_BY(mutex_);
  Weight load_ LONGSHORE_GUARDED_BY(mutex_) = {.jobs = 0};
  std::size_t wide_jobs_ LONGSHORE_GUARDED_BY(mutex_) = 0;  // of the load, those of wide claims
  bool stopped_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

}  // namespace longshore
