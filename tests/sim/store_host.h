// The store of a simulated run, and the faults of its machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/ids/random.h"
#include "core/time/clock.h"
#include "longshore/store.h"
#include "sim/setup.h"

namespace longshore::sim {

class StoreHost {
 public:
  virtual ~StoreHost() = default;

  // REQUIRES: open() succeeded, and there was no crash since.
  virtual Backend& backend() = 0;
  virtual Result<Nothing> open() = 0;
  virtual bool is_open() const = 0;

  // Whether the store is in the process of its only node, and crashes with it.
  virtual bool dies_with_its_node() const = 0;
  // The process crashed, possibly with a power cut.
  virtual void crash(Random& random, bool power) = 0;
  // Injects a disk error soon; the node then fails until it restarts.
  virtual void break_something(Random& random) = 0;
  virtual bool is_broken() const = 0;
  // Ends the injected errors.
  virtual void heal() = 0;

  // Copies the current store.
  virtual void copy() = 0;
  // Replaces the store with the copy. REQUIRES: there is a copy, and a store that crashes with its
  // node is closed.
  virtual void set_back() = 0;
};

// `clock` must outlive it. The seed decides how disks break. With a mutant of this name in place
// of the store; empty: none.
std::unique_ptr<StoreHost> make_memory_host(Clock& clock, const Rules& rules,
                                            const std::string& mutant);
std::unique_ptr<StoreHost> make_sqlite_host(Clock& clock, const Rules& rules, std::uint64_t seed);

}  // namespace longshore::sim
