#include "faults/possible_states.h"

#include <utility>

#include "core/assert.h"
#include "core/time/store_time.h"
#include "faults/answers.h"
#include "store/memory/store.h"

namespace longshore::faults {

// A reference store on a disk of its own, which can be copied.
//
// The memory store's disk has each time that was told. A store's file has only what the last commit
// or the closing wrote, and that is what a store finds that is opened again: see
// PossibleStates::reopened.
class PossibleState {
 public:
  PossibleState(MemoryDisk disk, const StoreTime::Saved& written, Clock& clock, const Rules& rules)
      : disk_(std::move(disk)), written_(written) {
    auto opened = open_memory(disk_, clock, rules);
    LONGSHORE_ASSERT(opened.ok(), "a memory store opens under the rules it was created with");
    backend_ = std::move(*opened);
    look_at_clock();
  }

  Committed commit(std::span<const Command> commands) {
    auto committed = backend_->store().commit(commands);
    LONGSHORE_ASSERT(committed.ok(), "the reference store always answers");
    write_time();
    return std::move(*committed);
  }
  Snapshot snapshot(const Scope& scope) {
    auto snapshot = take_snapshot(backend_->catalog(), scope);
    LONGSHORE_ASSERT(snapshot.ok(), "the reference store always answers");
    return std::move(*snapshot);
  }
  void close() {
    look_at_clock();
    write_time();
  }
  // Then it makes no difference whether it is closed.
  bool has_written_time() {
    look_at_clock();
    return written_.highest == disk_.highest_time && written_.stepped_at == disk_.stepped_at;
  }
  // The same store at the same moment, open like this one.
  std::unique_ptr<PossibleState> copy(Clock& clock, const Rules& rules) {
    look_at_clock();
    return std::make_unique<PossibleState>(disk_, written_, clock, rules);
  }
  // The store, closed and opened again. As long as it was closed its clock was not watched.
  std::unique_ptr<PossibleState> opened_again(Clock& clock, const Rules& rules) const {
    MemoryDisk found = disk_;
    found.highest_time = written_.highest;
    found.stepped_at = written_.stepped_at;
    return std::make_unique<PossibleState>(std::move(found), written_, clock, rules);
  }

 private:
  void look_at_clock() {
    LONGSHORE_ASSERT(backend_->catalog().now().ok(), "the reference store always answers");
  }
  void write_time() { written_ = {.highest = disk_.highest_time, .stepped_at = disk_.stepped_at}; }

  MemoryDisk disk_;
  StoreTime::Saved written_;
  std::unique_ptr<Backend> backend_;
};

namespace {

bool refused_for_space(const Verdict& verdict) {
  const auto* refusal = std::get_if<Refusal>(&verdict);
  return refusal != nullptr && refusal->code == Code::disk_full;
}

// Refused on a full disk; all other commands may use the reserve.
bool brings_jobs(const Command& command) { return std::holds_alternative<Enqueue>(command); }

}  // namespace

PossibleStates::PossibleStates(Clock& clock, const Rules& rules) : clock_(clock), rules_(rules) {
  states_.push_back(
      std::make_unique<PossibleState>(MemoryDisk{}, StoreTime::Saved{}, clock_, rules_));
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
  // If there are no others, the time was written all the same.
  if (others.size() < commands.size()) add_states_with(others, before);
}

void PossibleStates::add_states_with(std::span<const Command> commands, std::size_t before) {
  for (std::size_t at = 0; at < before; ++at) {
    states_.push_back(states_[at]->copy(clock_, rules_));
    states_.back()->commit(commands);
  }
}

void PossibleStates::closed(Closing closing) {
  const std::size_t before = states_.size();
  for (std::size_t at = 0; at < before; ++at) {
    if (states_[at]->has_written_time()) continue;
    if (closing == Closing::perhaps_failed) states_.push_back(states_[at]->copy(clock_, rules_));
    states_[at]->close();
  }
}

void PossibleStates::reopened() {
  for (std::unique_ptr<PossibleState>& state : states_) state = state->opened_again(clock_, rules_);
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
