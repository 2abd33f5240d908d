// The shared state of one simulated run.
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
#include "sim/scheduler.h"
#include "sim/setup.h"
#include "sim/store_host.h"
#include "sim/trace.h"

namespace longshore::sim {

class Node;

// The clock of the store's machine: virtual time plus injected steps.
class StoreClock final : public Clock {
 public:
  explicit StoreClock(const Scheduler& scheduler) : scheduler_(scheduler) {}
  Instant now() override;
  Duration steady() override { return (scheduler_.now() - Instant()) + passed_; }
  void shift(Duration by);
  // Steps forward.
  void pass(Duration by) {
    shift(by);
    passed_ += by;
  }
  // Undoes all steps back.
  void heal() { offset_ = furthest_; }

 private:
  const Scheduler& scheduler_;
  Duration offset_;
  Duration furthest_;
  Duration passed_;
};

// A job that clients know.
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

  // True with this probability while faults are injected.
  bool unlucky(double probability) { return !healing && random.chance(probability); }
  bool chance(double probability) { return random.chance(probability); }
  Duration millis_between(std::int64_t least, std::int64_t most);
  // The latency of a message.
  Duration travel();
  void note(std::string_view who, std::string_view what, std::uint64_t first = 0,
            std::uint64_t second = 0) {
    trace.note(scheduler.now(), who, what, first, second);
  }
  // Records a violation; the run has failed.
  void complain(std::string what);

  const Setup setup;
  SeededRandom random;
  Trace trace;
  Scheduler scheduler;
  StoreClock clock;
  std::unique_ptr<StoreHost> host;
  checker::HistoryWriter writer;
  JobIds ids;
  std::vector<std::unique_ptr<Node>> nodes;
  std::vector<Known> known;
  std::int64_t serial = 0;  // makes every payload, result and request unique
  std::int64_t enqueued = 0;
  bool healing = false;  // no more faults are injected
  bool healed = false;   // and all earlier ones are over
  int meddling = 0;      // operators that have not resumed all their queues yet
  int producing = 0;     // producers that are not done
  std::vector<std::string> complaints;
  std::vector<std::pair<std::string, Instant>> starts;      // of nodes, by the store's clock
  bool copied = false;                                      // there is a copy of the store
  std::size_t starts_copied = 0;                            // those that the copy contains
  std::vector<std::pair<std::string, std::string>> tokens;  // namespace and id
  std::int64_t revision = 0;

  // Leases that workers released themselves; any other release is the engine's own.
  std::set<std::pair<RequestId, JobId>> given_back;
  // Claims sent to two nodes: a node may release what the other granted, so no other client does.
  std::set<RequestId> sent_twice;

  // A node must not release a lease that reached its worker through the API; reports a violation if
  // it does.
  void note_brought(const JobId& job, const LeaseToken& token);
  void note_released(const JobId& job, const LeaseToken& token);
  std::int64_t polls_cut = 0;         // connections cut before the answer was read
  std::int64_t polls_sent_again = 0;  // answered again with the same lease

 private:
  using LeaseName = std::tuple<JobId, std::int64_t, RequestId>;
  void check_not_both(const LeaseName& lease);
  std::set<LeaseName> brought_, released_;
};

}  // namespace longshore::sim
