// Group commit: commands of everybody, of all kinds, become one call to the store, so that all
// who wait share one sync. When nothing waits a command goes at once; while one commit runs the
// next one gathers. No timer, no thread, no clock of its own.
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

// What a command was answered, and when by the store's clock.
struct Answered {
  Verdict verdict;
  Instant at;
};
using Answer = std::move_only_function<void(Result<Answered>)>;

// Rung when there is something to commit; may ring for nothing. Safe from any thread.
class Waker {
 public:
  virtual ~Waker() = default;
  virtual void ring() = 0;
};

// One command on its way, and who wants to know.
struct Entry {
  Command command;
  Answer answer;
};

// One that joins a batch, before this command of it; at the end if there are not so many.
struct Joining {
  Entry entry;
  std::size_t before = 0;
};

// Sees every commit from both sides. Called without any lock held, by the committing thread.
class CommitHooks {
 public:
  virtual ~CommitHooks() = default;
  // The claims that the commands of this batch give reason to try; they join it, those for one
  // place in this order.
  virtual std::vector<Joining> joining(std::span<const Command> batch) = 0;
  // After the store answered and before anybody is told.
  virtual void committed(const Committed& committed) = 0;
  // The same of what the store failed at: a whole commit, or after committed() a part of one.
  virtual void failed(const Error&) {}
  // After everybody was told.
  virtual void told() = 0;
};

struct CommitLimits {
  std::size_t jobs_per_commit = 1024;
  std::size_t bytes_per_commit = 4 * 1024 * 1024;
  // Of all claims together: claims of many queues and types take turns, and others do not wait for
  // them.
  std::size_t lookups_per_commit = 4 * 1024;
  std::size_t upkeep_per_commit = 64;  // commands, beside the jobs and bytes above
  std::size_t jobs_waiting = 64 * 1024;
  std::size_t bytes_waiting = 64 * 1024 * 1024;
  std::size_t upkeep_waiting = 4 * 1024;  // commands
  // Commands of calls for many jobs, beside all the others; more when nothing else waits.
  std::size_t bulk_per_commit = 32;
  std::size_t bulk_per_idle_commit = 256;
  std::size_t bulk_waiting = 64 * 1024;
};

// Safe to share between threads. Answers come from within commit_once or stop, on its thread.
class CommitQueue {
 public:
  // The three must outlive the queue.
  CommitQueue(Store& store, Waker& bell, CommitHooks& hooks, const CommitLimits& limits);
  ~CommitQueue();

  // Takes the command, or answers at once: overloaded when there is no room (never for what
  // settles work; upkeep has room of its own), unavailable once stopped.
  void submit(Command command, Answer answer);
  // Commands that settle work, judged in this order and in one commit. Always taken.
  void submit_in_order(std::vector<Entry> entries);
  // One command of a call for many jobs. Waits behind everybody else, with room of its own, and a
  // few of them go with every commit; nobody is turned away because of it.
  void submit_bulk(Command command, Answer answer);

  // Runs one commit of what waits, most urgent first; false if nothing waited. Upkeep has a place
  // in every commit. A command that does not fit is passed over; after a few times it is taken
  // although it does not fit. As many threads may be in here as the store has lanes.
  bool commit_once();

  // Everything that still waits is answered unavailable, and so is everything later. Idempotent.
  void stop();

  // Jobs that wait to be committed. Claims of many queues and types are left out: they take turns
  // among themselves, so that many of them are no reason to turn others away.
  std::size_t waiting() const;

 private:
  // What one commit is about, and who wants to know: as many answers as commands.
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
    int passed_over = 0;           // how many commits it did not fit into
    std::vector<Entry> rest = {};  // behind the first, in the same commit
  };
  // Oldest first: those that were passed over, then the rest.
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
  // Takes what fits. At most `passes` that do not fit are passed over, and those behind them wait.
  void take_fitting(Line& line, Room& room, std::size_t passes, std::vector<Waiting>& taken);
  // The one that was passed over most often, if that is often enough.
  void take_overdue(Room& room, std::vector<Waiting>& leases, std::vector<Waiting>& enqueues);
  void answer_all(Batch& batch, Result<Committed> outcome);

  // Constant after construction.
  Store& store_;
  Waker& bell_;
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
