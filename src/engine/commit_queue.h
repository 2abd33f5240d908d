// Group commit: commands of everybody, of all kinds, become one call to the store, so that all
// who wait share one sync. When nothing waits a command goes at once; while one commit runs the
// next one gathers. No timer, no thread, no clock of its own.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "core/fifo.h"
#include "core/mutex.h"
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
class Bell {
 public:
  virtual ~Bell() = default;
  virtual void ring() = 0;
};

// One command on its way, and who wants to know.
struct Entry {
  Command command;
  Answer answer;
};

// Sees every commit from both sides. Called without any lock held, by the committing thread.
class CommitHooks {
 public:
  virtual ~CommitHooks() = default;
  // The claims that the commands of this batch give reason to try; they join it.
  virtual std::vector<Entry> joining(std::span<const Command> batch) = 0;
  // After the store answered and before anybody is told.
  virtual void committed(const Committed& committed) = 0;
  // After everybody was told.
  virtual void told() = 0;
};

struct CommitLimits {
  std::size_t jobs_per_commit = 1024;
  std::size_t bytes_per_commit = 4 * 1024 * 1024;
  std::size_t jobs_waiting = 64 * 1024;
  std::size_t bytes_waiting = 64 * 1024 * 1024;
};

// Safe to share between threads. Answers come from within commit_once or stop, on its thread.
class CommitQueue {
 public:
  // The three must outlive the queue.
  CommitQueue(Store& store, Bell& bell, CommitHooks& hooks, const CommitLimits& limits);
  ~CommitQueue();

  // Takes the command, or answers at once: overloaded when there is no room (never for what
  // settles work), unavailable once stopped.
  void submit(Command command, Answer answer);

  // Runs one commit of what waits, most urgent first; false if nothing waited. As many threads
  // may be in here as the store has lanes.
  bool commit_once();

  // Everything that still waits is answered unavailable, and so is everything later. Idempotent.
  void stop();

  std::size_t waiting() const;  // jobs that wait to be committed

 private:
  // What one commit is about, and who wants to know: as many answers as commands.
  struct Batch {
    std::vector<Command> commands;
    std::vector<Answer> answers;
    void add(Entry&& entry);
  };

  Batch take_batch();
  std::array<std::size_t, urgency_count> choose() const;
  void answer_all(Batch& batch, Result<Committed> outcome);

  // Constant after construction.
  Store& store_;
  Bell& bell_;
  CommitHooks& hooks_;
  const CommitLimits limits_;

  mutable Mutex mutex_;
  // Guarded by mutex_.
  std::array<Fifo<Entry>, urgency_count> waiting_ LONGSHORE_GUARDED_BY(mutex_);
  Weight load_ LONGSHORE_GUARDED_BY(mutex_) = {.jobs = 0};
  bool stopped_ LONGSHORE_GUARDED_BY(mutex_) = false;
};

}  // namespace longshore
