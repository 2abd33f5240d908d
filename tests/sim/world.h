// What everybody in one simulated run shares.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "checker/history_writer.h"
#include "core/ids/random.h"
#include "core/ids/uuid.h"
#include "core/time/clock.h"
#include "sim/ground.h"
#include "sim/scheduler.h"
#include "sim/setup.h"
#include "sim/trace.h"

namespace longshore::sim {

class Node;

// The clock of the machine that keeps the store: virtual time, and what was done to it.
class StoreClock final : public Clock {
 public:
  explicit StoreClock(const Scheduler& scheduler) : scheduler_(scheduler) {}
  Instant now() override;
  Duration steady() override { return (scheduler_.now() - Instant()) + passed_; }
  void shift(Duration by);
  // As if so much time had passed.
  void pass(Duration by) {
    shift(by);
    passed_ += by;
  }
  // From here on it is as if it had never been set back.
  void heal() { offset_ = furthest_; }

 private:
  const Scheduler& scheduler_;
  Duration offset_;
  Duration furthest_;
  Duration passed_;
};

// A job that somebody asked for, and may talk about.
struct Known {
  std::string ns;
  JobId id;
  std::string type;
  std::string key;
};

struct World {
  World(Setup setup, Trace::Line line, StackPool& pool, SeededRandom random);
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  // Bad luck, which ends with the healing.
  bool unlucky(double probability) { return !healing && random.chance(probability); }
  bool chance(double probability) { return random.chance(probability); }
  Duration millis_between(std::int64_t least, std::int64_t most);
  // How long a message takes.
  Duration travel();
  void note(std::string_view who, std::string_view what, std::uint64_t first = 0,
            std::uint64_t second = 0) {
    trace.note(scheduler.now(), who, what, first, second);
  }
  // Something that must never happen did; the run has failed.
  void complain(std::string what);

  const Setup setup;
  SeededRandom random;
  Trace trace;
  Scheduler scheduler;
  StoreClock clock;
  std::unique_ptr<StoreGround> ground;
  checker::HistoryWriter writer;
  JobIds ids;
  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<Known> known;
  std::int64_t serial = 0;  // makes every payload, result and request another one
  std::int64_t enqueued = 0;
  bool healing = false;  // no more harm is done
  bool healed = false;   // and what was done before has passed
  int meddling = 0;      // stewards who have not resumed every queue of theirs yet
  int producing = 0;     // producers who still have something to say
  std::vector<std::string> complaints;
  std::vector<std::pair<std::string, Instant>> starts;  // of nodes, by the store's clock
  bool copied = false;                                  // there is a copy of the store
  std::size_t starts_copied = 0;                        // those that the copy of the store knows
  std::vector<std::pair<std::string, std::string>> tokens;  // namespace and id
  std::int64_t revision = 0;

  // Leases that workers released themselves; any other release is the engine's own.
  std::set<std::pair<RequestId, JobId>> given_back;
  // Claims that were sent twice: a node may release what the other one gave. So nobody else does.
  std::set<RequestId> sent_twice;

  // A lease that reached its worker by the way of the API is not released by a node, before or
  // after. One that does is complained about.
  void note_brought(const JobId& job, const LeaseToken& token);
  void note_released(const JobId& job, const LeaseToken& token);
  std::int64_t polls_cut = 0;         // lines that went down before the answer was read
  std::int64_t polls_sent_again = 0;  // answered with a lease that had been answered before

 private:
  using LeaseName = std::tuple<JobId, std::int64_t, RequestId>;
  void check_not_both(const LeaseName& lease);
  std::set<LeaseName> brought_, released_;
};

}  // namespace longshore::sim
