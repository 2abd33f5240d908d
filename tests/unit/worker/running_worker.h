// A worker at work in threads of its own, on a clock that moves when the test says so.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include "longshore/testing.h"
#include "unit/worker/event.h"

namespace longshore {

// Tells a test of the heartbeats that pass by, and can be cut off.
class WatchedLeases final : public Leases {
 public:
  explicit WatchedLeases(std::shared_ptr<Leases> inner) : inner_(std::move(inner)) {}

  Result<Turned> turn(Turn turn, std::stop_token stop) override {
    if (auto error = cut(turn)) return *error;
    const Seen seen = see(turn);
    Result<Turned> turned = inner_->turn(std::move(turn), std::move(stop));
    tell(seen);
    return turned;
  }
  void begin_turn(Turn turn, std::stop_token stop, Answer answer) override {
    if (blocks) return Leases::begin_turn(std::move(turn), std::move(stop), std::move(answer));
    if (auto error = cut(turn)) return answer(*error);
    inner_->begin_turn(std::move(turn), std::move(stop), std::move(answer));
  }
  Instant now() override { return inner_->now(); }
  void wait_until(Instant at, std::stop_token stop) override {
    {
      const std::lock_guard lock(mutex_);
      awaited_.insert(at);
      changed_.notify_all();
    }
    inner_->wait_until(at, std::move(stop));
  }

  // True once somebody waits, or has waited, until then.
  bool awaited(Instant at) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return awaited_.contains(at); });
  }

  std::atomic<bool> cut_off = false;
  std::atomic<bool> blocks = false;  // as leases across a network do: a turn is waited for
  Event heartbeats;
  Event introductions;
  Event failures;

 private:
  struct Seen {
    bool heartbeat = false;
    bool introduction = false;
  };

  template <class Kind>
  static bool has(const Turn& turn) {
    return std::ranges::any_of(
        turn.words, [](const Command& word) { return std::holds_alternative<Kind>(word); });
  }
  static Seen see(const Turn& turn) { return {has<Heartbeat>(turn), has<SeeWorkers>(turn)}; }
  void tell(const Seen& seen) {
    if (seen.heartbeat) heartbeats.happen();
    if (seen.introduction) introductions.happen();
  }
  std::optional<Error> cut(const Turn& turn) {
    const bool settles = !turn.words.empty() && turn.claim;
    if (!cut_off || !(settles || see(turn).heartbeat)) return std::nullopt;
    failures.happen();
    return Error{Errc::unavailable, "cut off"};
  }

  const std::shared_ptr<Leases> inner_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<Instant> awaited_;
};

class RunningWorker : public ::testing::Test {
 protected:
  ~RunningWorker() override {
    // Handlers that still wait are let go before the worker is.
    go_on->happen();
    if (!worker) return;
    Event gone;
    std::thread stopping([&] {
      worker.reset();
      gone.happen();
    });
    while (gone.count() == 0) harbour.advance(Duration::seconds(1));
    stopping.join();
  }

  void make(WorkerOptions options) {
    worker = std::make_unique<Worker>(leases, std::move(options));
  }
  JobId enqueue(const std::string& type = "T", EnqueueOptions options = {}) {
    return client.enqueue({.type = type, .options = std::move(options)}).value().id;
  }
  JobRecord ended(const JobId& id) { return client.wait(id, Duration::hours(1)).value(); }

  // Waits until it is asked to stop, and remembers why.
  Handler until_stopped(Ending ending = ok()) {
    return [this, ending](Context& context) {
      Event stopped;
      const std::stop_callback tell(context.stop_token(), [&] { stopped.happen(); });
      running->happen();
      EXPECT_TRUE(stopped.wait());
      reason = context.stop_reason();
      finished->happen();
      return ending;
    };
  }
  // Waits until the test lets it go on, whatever it is asked.
  Handler until_let_go() {
    // By value, since a handler that is abandoned outlives the test's members.
    return [run = running, go = go_on](Context&) {
      run->happen();
      go->wait();
      return ok();
    };
  }

  testing::Harbour harbour;
  Client client = harbour.client();
  std::shared_ptr<WatchedLeases> leases =
      std::make_shared<WatchedLeases>(harbour.longshore().leases());
  std::shared_ptr<Event> running = std::make_shared<Event>();
  std::shared_ptr<Event> finished = std::make_shared<Event>();
  std::shared_ptr<Event> go_on = std::make_shared<Event>();
  std::atomic<StopReason> reason = StopReason::none;
  std::unique_ptr<Worker> worker;
};

}  // namespace longshore
