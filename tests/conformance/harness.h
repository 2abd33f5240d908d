// A StoreHarness opens a store for a test and controls its time. To add a store to Longshore, write
// one and add a line to stores.cpp; every test here then runs for it. Stores have different clocks,
// so tests only change the time through the harness.
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
  // The expected capabilities; the suite compares them with those the store reports, and both with
  // its behavior.
  virtual Capabilities promised() const = 0;
  // Advances the store's time. A store with its own clock may be slightly later.
  virtual void advance(Duration by) = 0;
  // Sets the clock without time passing.
  virtual void step(Duration by) = 0;
  virtual Instant now() = 0;
  // Closes the store and opens it again on the same data; backend() is another object then.
  virtual Result<Nothing> reopen() = 0;
  // Describes every difference between these records and the views for direct reading
  // (docs/postgres.md, docs/redis.md). Empty for stores without such a view.
  virtual std::vector<std::string> misread(const std::vector<JobRecord>&) { return {}; }

  // The same store as another node opens it; null if no other can.
  virtual std::unique_ptr<Backend> another() { return nullptr; }

  // The rules that reopen() uses. The store's own may differ.
  Rules rules;
};

// Each call opens a new, empty store.
struct StoreKind {
  std::string name;
  std::function<std::unique_ptr<StoreHarness>(const Rules&)> open;
};

// Every store of the suite. The first is the reference.
const std::vector<StoreKind>& stores();

// REQUIRES: a store of this name exists.
std::unique_ptr<StoreHarness> open_store(const std::string& name, const Rules& rules);

}  // namespace longshore::conformance
