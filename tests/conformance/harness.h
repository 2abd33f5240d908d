// A StoreHarness is one store, opened for a test, with its time in the test's hand. Whoever adds
// a store to Longshore writes one and adds a line to stores.cpp; every test here then holds for
// it. Stores keep different clocks, so no test touches one: it asks the harness.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "longshore/error.h"
#include "longshore/rules.h"
#include "longshore/store.h"

namespace longshore::conformance {

class StoreHarness {
 public:
  explicit StoreHarness(Rules wanted) : rules(std::move(wanted)) {}
  virtual ~StoreHarness() = default;
  StoreHarness(const StoreHarness&) = delete;
  StoreHarness& operator=(const StoreHarness&) = delete;

  virtual Backend& backend() = 0;
  // What the store is known to be able to do; the suite compares it with what the store says of
  // itself, and both with what it does.
  virtual Capabilities promised() const = 0;
  // Moves the store's time on. A store with a clock of its own may end up a little later.
  virtual void advance(Duration by) = 0;
  // The clock is set while no time passes.
  virtual void step(Duration by) = 0;
  virtual Instant now() = 0;
  // Closes the store and opens it again on the same data; backend() is another object then.
  virtual Result<Nothing> reopen() = 0;
  // Every difference between these records and what the store shows to people who read it by hand
  // (docs/postgres.md, docs/redis.md), in words. Stores without such a view show nothing.
  virtual std::vector<std::string> misread(const std::vector<JobRecord>&) { return {}; }

  // The same store as another node opens it; null if no other can.
  virtual std::unique_ptr<Backend> another() { return nullptr; }

  // With which reopen() opens it. The store's own may be others.
  Rules rules;
};

// Each call opens a new, empty store.
struct StoreKind {
  std::string name;
  std::function<std::unique_ptr<StoreHarness>(const Rules&)> open;
};

// Every store that the suite judges. The first is the reference.
const std::vector<StoreKind>& stores();

// REQUIRES: a store of this name exists.
std::unique_ptr<StoreHarness> open_store(const std::string& name, const Rules& rules);

}  // namespace longshore::conformance
