#include "faults/possible_states.h"

#include <fmt/format.h>

#include <utility>

#include "core/assert.h"
#include "store/memory/store.h"

namespace longshore::faults {

// A reference store on its own disk, which can be copied.
class PossibleState {
 public:
  PossibleState(MemoryDisk disk, Clock& clock, const Rules& rules) : disk_(std::move(disk)) {
    auto opened = open_memory(disk_, clock, rules);
    LONGSHORE_ASSERT(opened.ok(), "a memory store opens under the rules it was created with");
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

// Refused on a full disk; all other commands may use the reserve.
bool brings_jobs(const Command& command) { return std::holds_alternative<Enqueue>(command); }

std::string describe(const Verdict& verdict) {
  constexpr const char* words[] = {"refused", "enqueued", "leased", "beaten",
                                   "settled", "swept",    "done"};
  const auto* refusal = std::get_if<Refusal>(&verdict);
  if (refusal == nullptr) return words[verdict.index()];
  return fmt::format("{} ({})", to_text(refusal->code), refusal->detail);
}

// As text; empty if the answers are equal.
std::string difference(const Committed& expected, const Committed& actual) {
  if (expected.verdicts.size() != actual.verdicts.size()) return "the number of verdicts differs";
  for (std::size_t at = 0; at < expected.verdicts.size(); ++at) {
    if (expected.verdicts[at] == actual.verdicts[at]) continue;
    return fmt::format("command {} is answered {}, expected {}", at, describe(actual.verdicts[at]),
                       describe(expected.verdicts[at]));
  }
  if (expected.events != actual.events) return "the transitions differ";
  return expected.at == actual.at ? "" : "the times differ";
}

}  // namespace

PossibleStates::PossibleStates(Clock& clock, const Rules& rules) : clock_(clock), rules_(rules) {
  states_.push_back(std::make_unique<PossibleState>(MemoryDisk{}, clock_, rules_));
}

PossibleStates::~PossibleStates() = default;

void PossibleStates::acknowledged(std::span<const Command> commands, const Committed& committed) {
  std::vector<Command> accepted;
  Committed answer{.events = committed.events, .at = committed.at};
  for (std::size_t at = 0; at < commands.size() && at < committed.verdicts.size(); ++at) {
    if (refused_for_space(committed.verdicts[at])) continue;
    accepted.push_back(commands[at]);
    answer.verdicts.push_back(committed.verdicts[at]);
  }
  std::vector<std::unique_ptr<PossibleState>> agreeing;
  std::string why;
  for (std::unique_ptr<PossibleState>& state : states_) {
    const std::string differs = difference(state->commit(accepted), answer);
    if (differs.empty()) {
      agreeing.push_back(std::move(state));
    } else {
      why = differs;
    }
  }
  keep(std::move(agreeing), "an acknowledged commit contradicts earlier ones: " + why);
}

void PossibleStates::in_doubt(std::span<const Command> commands, Room room) {
  const std::size_t before = states_.size();
  add_states_with(commands, before);
  if (room == Room::enough) return;
  std::vector<Command> others(commands.begin(), commands.end());
  std::erase_if(others, [](const Command& command) { return brings_jobs(command); });
  const bool some = !others.empty() && others.size() < commands.size();
  if (some) add_states_with(others, before);
}

// The store was open all the time: without the new time, a copy of its disk would be treated as one
// that was closed since its last commit.
void PossibleStates::add_states_with(std::span<const Command> commands, std::size_t before) {
  for (std::size_t at = 0; at < before; ++at) {
    MemoryDisk disk = states_[at]->disk();
    if (disk.highest_time != Instant()) disk.highest_time = clock_.now();
    states_.push_back(std::make_unique<PossibleState>(std::move(disk), clock_, rules_));
    states_.back()->commit(commands);
  }
}

void PossibleStates::reopened() {
  for (std::unique_ptr<PossibleState>& state : states_) {
    state = std::make_unique<PossibleState>(state->disk(), clock_, rules_);
    state->look_at_clock();
  }
}

void PossibleStates::compare_with(Catalog& catalog, const Scope& scope) {
  const auto found = take_snapshot(catalog, scope);
  if (!found.ok()) return keep({}, "the store cannot be read: " + found.error().message);
  compare(*found, scope);
}

void PossibleStates::compare(const Snapshot& found, const Scope& scope) {
  std::vector<std::unique_ptr<PossibleState>> equal;
  std::string why;
  for (std::unique_ptr<PossibleState>& state : states_) {
    const std::string differs = difference(state->snapshot(scope), found);
    if (differs.empty()) {
      equal.push_back(std::move(state));
    } else {
      why += (why.empty() ? "" : "\n or ") + differs;
    }
  }
  keep(std::move(equal), "the store is not what it acknowledged: " + why);
}

void PossibleStates::keep(std::vector<std::unique_ptr<PossibleState>> states,
                          std::string why_none) {
  states_ = std::move(states);
  if (states_.empty() && contradiction_.empty()) contradiction_ = std::move(why_none);
}

}  // namespace longshore::faults
