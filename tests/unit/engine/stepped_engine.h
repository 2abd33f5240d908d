// An engine on the memory store that a test drives step by step.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ids/random.h"
#include "core/ids/uuid.h"
#include "core/time/clock.h"
#include "engine/engine.h"
#include "store/memory/store.h"

namespace longshore {

class CountingWaker final : public Waker {
 public:
  void wake() override { wakes += 1; }
  int wakes = 0;
};

// Counts calls and can be told to fail.
class CountingStore final : public Store {
 public:
  explicit CountingStore(Store& inner) : inner_(inner) {}

  Result<Committed> commit(std::span<const Command> commands) override {
    commits += 1;
    sizes.push_back(commands.size());
    last.assign(commands.begin(), commands.end());
    if (failure) return *failure;
    Result<Committed> committed = inner_.commit(commands);
    if (committed) committed->errors = errors;
    if (const auto once = std::exchange(afterwards, nullptr)) once();
    return committed;
  }
  const Capabilities& capabilities() const override { return inner_.capabilities(); }

  int commits = 0;
  std::vector<std::size_t> sizes;
  std::vector<Command> last;
  std::optional<Error> failure;
  std::vector<std::optional<Error>> errors;  // of commands that fail alone
  std::function<void()> afterwards;  // done once, after the next commit and before it is answered

 private:
  Store& inner_;
};

class SteppedEngine : public testing::Test {
 protected:
  SteppedEngine() { restart({}); }

  void restart(CommitLimits limits, bool recovery = true) {
    engine.reset();
    backend.reset();
    auto opened = open_memory(disk, clock, rules);
    if (!opened) throw std::runtime_error(opened.error().message);
    backend = std::move(*opened);
    store = std::make_unique<CountingStore>(backend->store());
    engine = std::make_unique<Engine>(*store, committer, ticker,
                                      EngineOptions{.node = {1, 2},
                                                    .run = {1, ++runs},
                                                    .name = "test",
                                                    .rules = [this] { return rules_of(*backend); },
                                                    .limits = limits,
                                                    .recovery = recovery});
  }

  // A new, empty store with these rules.
  void restart_under(const Rules& others, bool recovery = true) {
    engine.reset();
    backend.reset();
    disk = MemoryDisk();
    rules = others;
    restart({}, recovery);
  }

  Instant now() { return clock.now(); }

  void commit_all() {
    while (engine->commit_once()) {
    }
  }

  NewJob new_job(const std::string& type = "T", const std::string& queue = "default") {
    NewJob job;
    job.id = ids.next(clock.now());
    job.type = type;
    job.queue = queue;
    job.body.payload = "{}";
    return job;
  }

  Claim new_claim(const std::string& queue = "default") {
    Claim claim;
    claim.id = random_id<RequestId>(random);
    claim.ns = "ns";
    claim.worker = "w";
    claim.queues = {queue};
    return claim;
  }

  // Collects what a command or a claim is answered.
  struct Box {
    std::optional<Result<Answered>> answer;
    bool came() const { return answer.has_value(); }
    std::size_t leases() const {
      const auto* leased = std::get_if<Leased>(&answer->value().verdict);
      return leased == nullptr ? 0 : leased->leases.size();
    }
    const Lease& lease() const { return std::get<Leased>(answer->value().verdict).leases.at(0); }
  };
  using BoxRef = std::shared_ptr<Box>;

  static Answer into(const BoxRef& box) {
    return [box](Result<Answered> answer) { box->answer = std::move(answer); };
  }

  BoxRef submit(Command command) {
    auto box = std::make_shared<Box>();
    engine->submit(std::move(command), into(box));
    return box;
  }
  BoxRef enqueue(const NewJob& job) { return submit(Enqueue{.ns = "ns", .jobs = {job}}); }
  BoxRef claim(Claim claim, Duration wait, Dispatcher::Ticket* ticket = nullptr) {
    auto box = std::make_shared<Box>();
    const auto number = engine->claim(std::move(claim), now(), wait, into(box));
    if (ticket != nullptr) *ticket = number;
    return box;
  }

  std::uint64_t runs = 0;
  Rules rules;
  MemoryDisk disk;
  ManualClock clock{Instant::millis(1'700'000'000'000)};
  SeededRandom random{7};
  JobIds ids{random};
  CountingWaker committer;
  CountingWaker ticker;
  std::unique_ptr<Backend> backend;
  std::unique_ptr<CountingStore> store;
  std::unique_ptr<Engine> engine;
};

}  // namespace longshore
