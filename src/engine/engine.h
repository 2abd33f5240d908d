// The engine decides what happens next on one node: what is committed together, who gets which
// job, what the passing of time is worth. It has no threads, no clock and no chance of its own:
// whoever owns it calls commit_once as often as the store has lanes, and tick when it says.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/chores.h"
#include "engine/commit_queue.h"
#include "engine/dispatcher.h"
#include "engine/minutes.h"
#include "longshore/store.h"

namespace longshore {

struct EngineOptions {
  NodeId node;
  NodeId run = {};  // new at each start, for the rows of minutes; none: the node's
  std::string name;
  RulesNow rules;
  CommitLimits limits;
  bool recovery = true;  // reclaims lost leases
};

// Hears of every commit of this node, on the committing thread: streams, waiters, metrics.
using CommitListener = std::function<void(const Committed&)>;
// The same of commits, or parts of them, that the store failed at.
using FailureListener = std::function<void(const Error&)>;

// Safe to share between threads.
class Engine final : private CommitHooks {
 public:
  // `committer` is rung when commit_once has something to do, `ticker` when tick has. All three
  // must outlive the engine.
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
  void hasten(Dispatcher::Ticket ticket) { dispatcher_.hasten(ticket); }
  void forget(Dispatcher::Ticket ticket) { dispatcher_.forget(ticket); }
  void hint() { dispatcher_.hint(); }
  void heed(const Configure& rules) { dispatcher_.heed(rules); }

  bool commit_once() { return queue_.commit_once(); }
  Instant tick(Instant now);

  // Nobody gets further work; what is committed from now on still settles. What was counted so far
  // is written down with it. May come before anything else, and more than once.
  void stop_dispatching();
  // Nothing more is taken, and what waits is answered unavailable. Idempotent.
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
  std::atomic<std::uint64_t> minutes_sent_ = 0;  // the batch under way
  Chores chores_;
  std::vector<CommitListener> listeners_;
  std::vector<FailureListener> failure_listeners_;
};

}  // namespace longshore
