#include "faults/worlds.h"

#include <fmt/format.h>

#include <utility>

#include "core/assert.h"
#include "store/memory/store.h"

namespace longshore::faults {

// A reference store on a disk of its own, which can be copied.
class World {
 public:
  World(MemoryDisk disk, Clock& clock, const Rules& rules) : disk_(std::move(disk)) {
    auto opened = open_memory(disk_, clock, rules);
    LONGSHORE_ASSERT(opened.ok(), "a memory store opens under the rules it was made with");
    backend_ = std::move(*opened);
  }

  Committed commit(std::span<const Command> commands) {
    auto committed = backend_->store().commit(commands);
    LONGSHORE_ASSERT(committed.ok(), "the reference store always answers");
    return std::move(*committed);
  }
  Snapshot snapshot(const Scope& scope) {
    auto snapshot = take_snapshot(backend_->catalog(), scope);
    LONGSHORE_ASSERT(snapshot.ok(), "the reference store always answers");
    return std::move(*snapshot);
  }
  void look_at_clock() {
    LONGSHORE_ASSERT(backend_->catalog().now().ok(), "the reference store always answers");
  }
  const MemoryDisk& disk() const { return disk_; }

 private:
  MemoryDisk disk_;
  std::unique_ptr<Backend> backend_;
};

namespace {

bool refused_for_space(const Verdict& verdict) {
  const auto* refusal = std::get_if<Refusal>(&verdict);
  return refusal != nullptr && refusal->code == Code::disk_full;
}

// They are refused when a disk is full; all else then has the room that was kept back.
bool brings_jobs(const Command& command) { return std::holds_alternative<Enqueue>(command); }

std::string describe(const Verdict& verdict) {
  constexpr const char* words[] = {"refused", "enqueued", "leased", "beaten",
                                   "settled", "swept",    "done"};
  const auto* refusal = std::get_if<Refusal>(&verdict);
  if (refusal == nullptr) return words[verdict.index()];
  return fmt::format("{} ({})", to_text(refusal->code), refusal->detail);
}

// In words; empty if the answers are the same.
std::string difference(const Committed& expected, const Committed& actual) {
  if (expected.verdicts.size() != actual.verdicts.size()) return "as many verdicts as commands";
  for (std::size_t at = 0; at < expected.verdicts.size(); ++at) {
    if (expected.verdicts[at] == actual.verdicts[at]) continue;
    return fmt::format("command {} is answered {}, expected {}", at, describe(actual.verdicts[at]),
                       describe(expected.verdicts[at]));
  }
  if (expected.events != actual.events) return "other transitions are reported";
  return expected.at == actual.at ? "" : "another time is reported";
}

}  // namespace

Worlds::Worlds(Clock& clock, const Rules& rules) : clock_(clock), rules_(rules) {
  worlds_.push_back(std::make_unique<World>(MemoryDisk{}, clock_, rules_));
}

Worlds::~Worlds() = default;

void Worlds::acknowledged(std::span<const Command> commands, const Committed& committed) {
  std::vector<Command> accepted;
  Committed answer{.events = committed.events, .at = committed.at};
  for (std::size_t at = 0; at < commands.size() && at < committed.verdicts.size(); ++at) {
    if (refused_for_space(committed.verdicts[at])) continue;
    accepted.push_back(commands[at]);
    answer.verdicts.push_back(committed.verdicts[at]);
  }
  std::vector<std::unique_ptr<World>> agreeing;
  std::string why;
  for (std::unique_ptr<World>& world : worlds_) {
    const std::string differs = difference(world->commit(accepted), answer);
    if (differs.empty()) {
      agreeing.push_back(std::move(world));
    } else {
      why = differs;
    }
  }
  keep(std::move(agreeing), "an acknowledged commit contradicts earlier ones: " + why);
}

void Worlds::in_doubt(std::span<const Command> commands, Room room) {
  const std::size_t before = worlds_.size();
  add_where_happened(commands, before);
  if (room == Room::enough) return;
  std::vector<Command> others(commands.begin(), commands.end());
  std::erase_if(others, [](const Command& command) { return brings_jobs(command); });
  const bool some = !others.empty() && others.size() < commands.size();
  if (some) add_where_happened(others, before);
}

// The store was open all the time: without the new time, a copy of its disk would be taken for one
// that was closed since its last commit.
void Worlds::add_where_happened(std::span<const Command> commands, std::size_t before) {
  for (std::size_t at = 0; at < before; ++at) {
    MemoryDisk disk = worlds_[at]->disk();
    if (disk.highest_time != Instant()) disk.highest_time = clock_.now();
    worlds_.push_back(std::make_unique<World>(std::move(disk), clock_, rules_));
    worlds_.back()->commit(commands);
  }
}

void Worlds::reopened() {
  for (std::unique_ptr<World>& world : worlds_) {
    world = std::make_unique<World>(world->disk(), clock_, rules_);
    world->look_at_clock();
  }
}

void Worlds::look(Catalog& catalog, const Scope& scope) {
  const auto found = take_snapshot(catalog, scope);
  if (!found.ok()) return keep({}, "the store cannot be read: " + found.error().message);
  compare(*found, scope);
}

void Worlds::compare(const Snapshot& found, const Scope& scope) {
  std::vector<std::unique_ptr<World>> alike;
  std::string why;
  for (std::unique_ptr<World>& world : worlds_) {
    const std::string differs = difference(world->snapshot(scope), found);
    if (differs.empty()) {
      alike.push_back(std::move(world));
    } else {
      why += (why.empty() ? "" : "\n or ") + differs;
    }
  }
  keep(std::move(alike), "the store is not what it acknowledged: " + why);
}

void Worlds::keep(std::vector<std::unique_ptr<World>> worlds, std::string why_none) {
  worlds_ = std::move(worlds);
  if (worlds_.empty() && contradiction_.empty()) contradiction_ = std::move(why_none);
}

}  // namespace longshore::faults
