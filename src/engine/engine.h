// The engine of a node: group commit, long polls for jobs, and periodic commands. It has no
// threads, clock or randomness. Its owner calls commit_once from up to max_concurrent_commits
// threads, and tick at the times it returns.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/commit_queue.h"
#include "engine/dispatcher.h"
#include "engine/minutes.h"
#include "engine/periodic_commands.h"
#include "longshore/store.h"

namespace longshore {

struct EngineOptions {
  NodeId node;
  NodeId run = {};  // new at each start, for minute rows; zero: `node`
  std::string name;
  RulesNow rules;
  CommitLimits limits;
  bool recovery = true;  // reap lost leases
};

// Called with every commit of this node, on the committing thread.
using CommitListener = std::function<void(const Committed&)>;
// The same for commits, or parts of them, that failed.
using FailureListener = std::function<void(const Error&)>;

// Safe to share between threads.
class Engine final : private CommitHooks {
 public:
  // Wakes `committer` when commit_once has something to do, and `ticker` when tick has. Store and
  // wakers must outlive the engine.
  Engine(Store& store, Waker& committer, Waker& ticker, EngineOptions options);
  ~Engine() override;

  // REQUIRES: nothing has been committed yet.
  void listen(CommitListener listener);
  void listen_for_failures(FailureListener listener);

  void submit(Command command, Answer answer) {
    queue_.submit(std::move(command), std::move(answer));
  }

  // See CommitQueue.
  void submit_in_order(std::vector<Entry> entries) { queue_.submit_in_order(std::move(entries)); }
  void submit_bulk(Command command, Answer answer) {
    queue_.submit_bulk(std::move(command), std::move(answer));
  }

  // See Dispatcher.
  Dispatcher::Ticket claim(Claim claim, Instant now, Duration wait, Answer answer) {
    return dispatcher_.claim(std::move(claim), now, wait, std::move(answer));
  }
  void end_wait(Dispatcher::Ticket ticket) { dispatcher_.end_wait(ticket); }
  void abandon(Dispatcher::Ticket ticket) { dispatcher_.abandon(ticket); }
  void hint() { dispatcher_.hint(); }
  void set_limits(const Configure& rules) { dispatcher_.set_limits(rules); }

  bool commit_once() { return queue_.commit_once(); }
  Instant tick(Instant now);

  // Grants no more leases, but still commits other commands, and writes the minute counts.
  // Idempotent, and may be called at any time.
  void stop_dispatching();
  // Answers queued and later commands with unavailable. Idempotent.
  void stop();

  std::size_t commits_waiting() const { return queue_.waiting(); }
  std::size_t claims_waiting() const { return dispatcher_.waiting(); }

 private:
  std::vector<Joining> joining(std::span<const Command> batch) override {
    return dispatcher_.join(batch);
  }
  void committed(const Committed& committed) override;
  void failed(const Error& error) override;
  void told() override {}

  const EngineOptions options_;
  CommitQueue queue_;
  Dispatcher dispatcher_;
  Minutes minutes_;
  std::atomic<std::uint64_t> minutes_sent_ = 0;  // the batch in flight
  PeriodicCommands periodic_;
  std::vector<CommitListener> listeners_;
  std::vector<FailureListener> failure_listeners_;
};

}  // namespace longshore
