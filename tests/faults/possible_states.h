// The states in which a store may be, given its answers: reference stores that execute what was
// acknowledged. A commit without an answer doubles the states: one in which it events, and one in
// which it did not. A later answer or a snapshot of the store decides.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/time/clock.h"
#include "faults/snapshot.h"
#include "longshore/rules.h"
#include "longshore/store.h"

namespace longshore::faults {

class PossibleState;

// Not safe to share between threads.
class PossibleStates {
 public:
  // `clock` must outlive this object, and be the clock of the store under test.
  PossibleStates(Clock& clock, const Rules& rules);
  ~PossibleStates();
  PossibleStates(const PossibleStates&) = delete;
  PossibleStates& operator=(const PossibleStates&) = delete;

  // Keeps the states that give the same answer. Commands refused for lack of space change no state.
  void acknowledged(std::span<const Command> commands, const Committed& committed);
  // All of these commands events, or none; if the disk may be full, perhaps all but new jobs.
  enum class Room : std::uint8_t { enough, perhaps_none };
  void in_doubt(std::span<const Command> commands, Room room = Room::enough);
  // The store was closed: that wrote its time down, or failed to. A store that was killed or lost
  // power was not closed, and has the time of its last commit; without one, it is new.
  enum class Closing : std::uint8_t { done, perhaps_failed };
  void closed(Closing closing);
  // The store is open again: one that was not open for long waits before it prunes.
  void reopened();
  // Keeps the states that equal this snapshot.
  void compare(const Snapshot& found, const Scope& scope);
  // The same with a snapshot of the catalog; keeps none if it cannot be read.
  void compare_with(Catalog& catalog, const Scope& scope);

  std::size_t count() const { return states_.size(); }
  // Why no state is left; empty while there is one.
  const std::string& contradiction() const { return contradiction_; }

 private:
  void add_states_with(std::span<const Command> commands, std::size_t before);
  void keep(std::vector<std::unique_ptr<PossibleState>> states, std::string why_none);

  Clock& clock_;
  const Rules rules_;
  std::vector<std::unique_ptr<PossibleState>> states_;
  std::string contradiction_;
};

}  // namespace longshore::faults
