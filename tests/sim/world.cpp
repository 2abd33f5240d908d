#include "sim/world.h"

#include <algorithm>

#include "core/assert.h"
#include "sim/node.h"

namespace longshore::sim {
namespace {

constexpr std::int64_t epoch_millis = 1'800'000'000'000;
// An ordinary run has ten thousand.
constexpr std::int64_t switches_most = 1'000'000;

}  // namespace

Instant StoreClock::now() {
  return Instant::millis(epoch_millis) + (scheduler_.now() - Instant()) + offset_;
}

void StoreClock::shift(Duration by) {
  offset_ += by;
  furthest_ = std::max(furthest_, offset_);
}

World::World(Setup setup_in, Trace::Line line, StackPool& pool, SeededRandom random_in)
    : setup(std::move(setup_in)),
      random(random_in),
      trace(std::move(line)),
      scheduler(random, trace, pool, switches_most),
      clock(scheduler),
      ids(random) {
  host = setup.host == HostKind::memory ? make_memory_host(clock, setup.rules, setup.mutant)
                                        : make_sqlite_host(clock, setup.rules, setup.seed);
  LONGSHORE_ASSERT(host->open().ok(), "an untouched disk can be opened");
}

World::~World() {
  scheduler.kill_all();
  for (const auto& node : nodes) node->vanish();
}

Duration World::millis_between(std::int64_t least, std::int64_t most) {
  const auto span = static_cast<std::uint64_t>(most - least + 1);
  return Duration::millis(least + static_cast<std::int64_t>(random.below(span)));
}

Duration World::travel() {
  if (random.chance(0.5)) return Duration();
  return millis_between(0, random.chance(0.1) ? 300 : 8);
}

void World::note_brought(const JobId& job, const LeaseToken& token) {
  const LeaseName lease{job, token.epoch, token.claim};
  brought_.insert(lease);
  check_not_both(lease);
}

void World::note_released(const JobId& job, const LeaseToken& token) {
  const LeaseName lease{job, token.epoch, token.claim};
  released_.insert(lease);
  check_not_both(lease);
}

// A store that is set back gives out the same leases anew.
void World::check_not_both(const LeaseName& lease) {
  if (setup.wide.set_back || !brought_.contains(lease) || !released_.contains(lease)) return;
  complain("Q4: " + to_text(std::get<JobId>(lease)) +
           " was released by a node, though its worker had been given it");
}

void World::complain(std::string what) {
  note("world", "complains");
  complaints.push_back(std::move(what));
}

}  // namespace longshore::sim
