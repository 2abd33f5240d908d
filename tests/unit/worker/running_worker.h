// A worker with its own threads, on a clock that the test controls.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "longshore/testing.h"
#include "must.h"
#include "unit/worker/event.h"

namespace longshore {

// Reports heartbeats to the test, and can simulate a broken connection.
class WatchedLeases final : public Leases {
 public:
  explicit WatchedLeases(std::shared_ptr<Leases> inner) : inner_(std::move(inner)) {}

  Result<Turned> turn(Turn turn, std::stop_token stop) override {
    if (auto error = cut(turn)) return *error;
    const Seen seen = see(turn);
    const std::vector<std::size_t> refused = take_hand_offs(turn);
    Result<Turned> turned = inner_->turn(std::move(turn), std::move(stop));
    tell(seen);
    refuse(turned, refused);
    return turned;
  }
  void begin_turn(Turn turn, std::stop_token stop, Answer answer) override {
    if (blocks) return Leases::begin_turn(std::move(turn), std::move(stop), std::move(answer));
    if (auto error = cut(turn)) return answer(*error);
    const std::vector<std::size_t> refused = take_hand_offs(turn);
    inner_->begin_turn(std::move(turn), std::move(stop),
                       [refused, answer = std::move(answer)](Result<Turned> turned) {
                         refuse(turned, refused);
                         answer(std::move(turned));
                       });
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

  // True once a thread waits, or has waited, until `at`.
  bool awaited(Instant at) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, test_deadline, [&] { return awaited_.contains(at); });
  }

  std::atomic<bool> cut_off = false;
  std::atomic<bool> blocks = false;  // like remote leases: begin_turn waits for the reply
  std::atomic<bool> refuses_hand_offs = false;  // like a store whose profile does not allow them
  std::atomic<int> most_beats_of_a_turn = 0;
  Event heartbeats;  // turns that contain heartbeats
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
  Seen see(const Turn& turn) {
    const int beats = static_cast<int>(std::ranges::count_if(
        turn.words, [](const Command& word) { return std::holds_alternative<Heartbeat>(word); }));
    most_beats_of_a_turn = std::max(most_beats_of_a_turn.load(), beats);
    return {beats > 0, has<SeeWorkers>(turn)};
  }
  void tell(const Seen& seen) {
    if (seen.heartbeat) heartbeats.happen();
    if (seen.introduction) introductions.happen();
  }
  // Replaces them with heartbeats, which change nothing.
  std::vector<std::size_t> take_hand_offs(Turn& turn) const {
    std::vector<std::size_t> places;
    if (!refuses_hand_offs) return places;
    for (std::size_t i = 0; i < turn.words.size(); ++i) {
      const auto* hand_off = std::get_if<HandOff>(&turn.words[i]);
      if (hand_off == nullptr) continue;
      places.push_back(i);
      turn.words[i] = Heartbeat{.job = hand_off->job, .token = hand_off->token};
    }
    return places;
  }
  static void refuse(Result<Turned>& turned, const std::vector<std::size_t>& places) {
    if (!turned) return;
    for (const std::size_t place : places) {
      turned->verdicts[place] =
          Refusal{.code = Code::not_in_profile,
                  .detail = "the store's profile orchestrator does not allow hand-off"};
    }
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
    // Let waiting handlers finish before the worker is destroyed.
    go_on->happen();
    if (!worker) return;
    Event gone;
    std::thread stopping([&] {
      worker.reset();
      gone.happen();
    });
    const auto ended = eventually([&] { return gone.count() > 0; },
                                  [&] { harbour.advance(Duration::seconds(1)); });
    if (!ended) {
      ADD_FAILURE() << "the worker does not stop, so the objects it uses cannot be destroyed: "
                    << ended.message();
      std::abort();
    }
    stopping.join();
  }

  void make(WorkerOptions options) {
    worker = std::make_unique<Worker>(leases, std::move(options));
  }
  JobId enqueue(const std::string& type = "T", EnqueueOptions options = {}) {
    return must(client.enqueue({.type = type, .options = std::move(options)})).id;
  }
  // Waits until it has ended; the clock does not advance.
  JobRecord ended(const JobId& id) {
    await("job " + to_text(id) + " has not ended",
          [&] { return is_terminal(must(client.get(id)).job.state); });
    return must(client.get(id));
  }

  // These handlers capture by value: the clock of a test runs ahead while the fixture is destroyed,
  // so a worker may abandon the thread of a handler that is about to return.

  // Waits until asked to stop, and records the reason.
  Handler until_stopped(Ending ending = ok()) {
    return [run = running, done = finished, why = reason, ending](Context& context) {
      Event stopped;
      const std::stop_callback tell(context.stop_token(), [&] { stopped.happen(); });
      run->happen();
      EXPECT_TRUE(stopped.wait());
      *why = context.stop_reason();
      done->happen();
      return ending;
    };
  }
  // Waits until the test sets go_on, even if asked to stop.
  Handler until_let_go() {
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
  std::shared_ptr<std::atomic<StopReason>> reason =
      std::make_shared<std::atomic<StopReason>>(StopReason::none);
  std::unique_ptr<Worker> worker;
};

}  // namespace longshore
