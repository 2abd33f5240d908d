// Worlds are the states in which a store may be, given what it answered: the reference store, fed
// with what was acknowledged. An answer that never came splits each world into one where it
// happened and one where it did not; a later answer or a look at the store decides.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/clock.h"
#include "faults/snapshot.h"
#include "longshore/rules.h"
#include "longshore/store.h"

namespace longshore::faults {

class World;

// Not safe to share between threads.
class Worlds {
 public:
  // `clock` must outlive this object, and be the one that the store under test follows.
  Worlds(Clock& clock, const Rules& rules);
  ~Worlds();
  Worlds(const Worlds&) = delete;
  Worlds& operator=(const Worlds&) = delete;

  // Leaves the worlds in which the same answer comes. Commands that were refused for want of
  // space leave no trace in any.
  void acknowledged(std::span<const Command> commands, const Committed& committed);
  // All of these commands happened, or none; on a disk that may be full perhaps all but new jobs.
  enum class Room : std::uint8_t { enough, perhaps_none };
  void in_doubt(std::span<const Command> commands, Room room = Room::enough);
  // The store was closed: that wrote its time down, or failed to. A store that was killed or lost
  // power was not closed, and has the time of its last commit; without one, it is new.
  enum class Closing : std::uint8_t { done, perhaps_failed };
  void closed(Closing closing);
  // The store is open again: one that was not open for long waits before it prunes.
  void reopened();
  // Leaves the worlds that look like this.
  void compare(const Snapshot& found, const Scope& scope);
  // The same with what the catalog shows; none is left if it cannot be read.
  void look(Catalog& catalog, const Scope& scope);

  std::size_t count() const { return worlds_.size(); }
  // Why no world is left; empty while there is one.
  const std::string& contradiction() const { return contradiction_; }

 private:
  void add_where_happened(std::span<const Command> commands, std::size_t before);
  void keep(std::vector<std::unique_ptr<World>> worlds, std::string why_none);

  Clock& clock_;
  const Rules rules_;
  std::vector<std::unique_ptr<World>> worlds_;
  std::string contradiction_;
};

}  // namespace longshore::faults
