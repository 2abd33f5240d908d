#include "crash/kills.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/ids/random.h"
#include "core/ids/uuid.h"
#include "core/time/clock.h"
#include "crash/evidence.h"

namespace longshore::crash {
namespace {

constexpr int most_for_one = 3;

class KillingParent {
 public:
  KillingParent(const std::string& directory, const KillPlan& plan)
      : directory_(directory),
        plan_(plan),
        random_(plan.seed),
        node_(random_id<NodeId>(random_)),
        evidence_(directory) {}

  Kills run() {
    for (int n = 1; kills_.under_load() < plan_.kills && kills_.problem.empty(); ++n) {
      if (n > most_for_one * plan_.kills) kills_.problem = "most kills interrupted nothing";
      if (kills_.problem.empty()) kill_one(n);
    }
    if (kills_.problem.empty()) judge();
    return std::move(kills_);
  }

 private:
  void kill_one(int number) {
    const Load load{.seed = random_.next(), .life = number, .node = node_};
    const Instant started = clock_.now();
    Child child(plan_.program, directory_, load);
    // Some are killed while they recover from the last kill, most in the middle of work.
    const bool young = number > 1 && random_.chance(0.15);
    const bool ready = young || child.ready();
    const Duration start = clock_.now() - started;
    const auto age = Duration::millis(static_cast<std::int64_t>(random_.below(young ? 10 : 300)));
    const bool died_early = !child.works_for(age) && !young;
    if (!child.kill() || died_early || !ready) {
      kills_.problem = fmt::format("process {} died before it was killed", number);
      return;
    }
    remember(number, start);
  }

  void remember(int number, Duration start) {
    const Result<RequestCounts> counts = evidence_.take(number);
    if (!counts.ok()) {
      kills_.problem = counts.error().message;
      return;
    }
    const Life life{counts->acknowledged, counts->in_flight, start};
    fmt::print("kill {}: {} acknowledged, {} in flight, ready in {} ms{}\n", number,
               life.acknowledged, life.in_flight, start.count(),
               life.under_load() ? "" : "; not counted");
    kills_.lives.push_back(life);
  }

  void judge() {
    Result<checker::Judgement> judgement = evidence_.judge();
    if (judgement.ok()) {
      kills_.judgement = std::move(*judgement);
    } else {
      kills_.problem = judgement.error().message;
    }
  }

  const std::string directory_;
  const KillPlan plan_;
  SeededRandom random_;
  const NodeId node_;
  SystemClock clock_;
  Evidence evidence_;
  Kills kills_;
};

}  // namespace

std::int64_t Kills::acknowledged() const {
  std::int64_t sum = 0;
  for (const Life& life : lives) sum += life.acknowledged;
  return sum;
}

std::int64_t Kills::in_flight() const {
  std::int64_t sum = 0;
  for (const Life& life : lives) sum += life.in_flight;
  return sum;
}

int Kills::under_load() const {
  return static_cast<int>(std::ranges::count_if(lives, &Life::under_load));
}

Kills kill_often(const std::string& directory, const KillPlan& plan) {
  return KillingParent(directory, plan).run();
}

}  // namespace longshore::crash
