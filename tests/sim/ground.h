// What the nodes of a simulated world stand on: one store, and what can happen to the machine
// that keeps it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/ids/random.h"
#include "core/time/clock.h"
#include "longshore/store.h"
#include "sim/setup.h"

namespace longshore::sim {

class StoreGround {
 public:
  virtual ~StoreGround() = default;

  // REQUIRES: open() worked, and nobody crashed since.
  virtual Backend& backend() = 0;
  virtual Result<Nothing> open() = 0;
  virtual bool is_open() const = 0;

  // Whether the store lives in the process of the one node there is, and dies with it.
  virtual bool dies_with_its_node() const = 0;
  // The process that had it open is gone, perhaps its machine's power too.
  virtual void crash(Random& random, bool power) = 0;
  // Something about its file will go wrong soon; from then on the node is of no use until it
  // starts again.
  virtual void break_something(Random& random) = 0;
  virtual bool is_broken() const = 0;
  // No more of that.
  virtual void heal() = 0;

  // Keeps a copy of what there is now.
  virtual void copy() = 0;
  // That copy takes the place of the store. REQUIRES: one was made, and of a store that dies with
  // its node, that it is closed.
  virtual void set_back() = 0;
};

// `clock` must outlive it. The seed decides how disks break. With a mutant of this name in place
// of the store; empty: none.
std::unique_ptr<StoreGround> make_memory_ground(Clock& clock, const Rules& rules,
                                                const std::string& mutant);
std::unique_ptr<StoreGround> make_sqlite_ground(Clock& clock, const Rules& rules,
                                                std::uint64_t seed);

}  // namespace longshore::sim
