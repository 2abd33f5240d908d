// A Store keeps jobs durably. Every backend implements exactly this contract, which
// tests/conformance checks. For reading see catalog.h, for change hints wakeups.h.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "longshore/catalog.h"
#include "longshore/command.h"
#include "longshore/error.h"
#include "longshore/job.h"
#include "longshore/rules.h"
#include "longshore/wakeups.h"

namespace longshore {

// What an acknowledged commit survives.
enum class Durability : std::uint8_t {
  a,  // process kill and power cut of the store's host
  b,  // process kill; a power cut may lose the last seconds
  c,  // nothing
};

// The capabilities of a backend. The conformance suite checks that each value is true.
struct Capabilities {
  std::string name;                       // "memory", "sqlite", ...
  Durability durability = Durability::c;  // when it was opened; see Backend::condition()
  int max_concurrent_commits = 1;         // more concurrent commits gain nothing
  bool shared = false;                    // other processes may open the same store
  bool injected_clock = false;            // time comes from the caller's clock
  bool survives_reopen = false;           // data is kept when the store is closed
};

// A committed state transition of a job.
struct JobEvent {
  std::string ns;
  JobId job;
  std::string type;
  std::string queue;
  Transition transition;
  Duration took;  // for a claim: time since run_at; for the end of an attempt: its duration
  std::string message = {};  // the public message of the error in transition.detail
  friend bool operator==(const JobEvent&, const JobEvent&) = default;
};

struct Committed {
  std::vector<Verdict> verdicts;  // one for each command, in the same order
  std::vector<JobEvent> events;   // every transition, in the order of commit
  Instant at;                     // the store's time at the end
  // Empty, or one entry per command. A command with an Error here has no verdict, as if commit()
  // had returned that Error for it; the others are committed. At least one command has none.
  std::vector<std::optional<Error>> errors = {};
};

// Safe to share between threads. Executes each command on its own and in order, by the store's
// clock; each is atomic, and all are durable once the call returns. A refused command has no
// effect, also not on others. After Errc::unavailable the outcome of every command is unknown, and
// the same commands can be sent again; after any other Error nothing happened. A store with
// namespaces on several servers can fail only some commands: see Committed::errors.
class Store {
 public:
  virtual ~Store() = default;

  virtual Result<Committed> commit(std::span<const Command> commands) = 0;
  virtual const Capabilities& capabilities() const = 0;
};

// Acknowledged commits that were found to be lost.
struct Losses {
  std::int64_t count = 0;  // how often losses were detected
  std::string latest;      // a message
};

// The current durability of a store, which depends on the configuration of its database.
struct StoreCondition {
  Durability durability = Durability::c;  // of commits acknowledged now
  std::string trouble = {};               // what an operator must fix; empty: nothing
  std::string where = {};                 // on which server; for logs, not for the public
  // The durability is below the accepted one: every commit fails with Errc::unavailable until it is
  // restored.
  bool refuses = false;
  friend bool operator==(const StoreCondition&, const StoreCondition&) = default;
};

// The behavior of the store's clock since the store was opened.
struct ClockReport {
  std::int64_t steps_forward = 0;
  std::int64_t steps_back = 0;
  Duration ahead = {};                      // of the store's time, while the clock is behind
  std::optional<Instant> prunes_from = {};  // by the clock; set while pruning waits after a step
  std::string alarm = {};                   // a message for operators; empty: no problem
};

// An open store and its three interfaces.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual Store& store() = 0;
  virtual Catalog& catalog() = 0;
  virtual Wakeups& wakeups() = 0;

  // The current rules. A change by another node is noticed with the next SeeNode at the latest.
  // Never null; safe from any thread.
  virtual std::shared_ptr<const StoredRules> rules() const = 0;

  // Set once the store has stopped permanently after a storage failure: every call returns this
  // error, and the process should exit.
  virtual std::optional<Error> broken() const { return std::nullopt; }

  // The database can lose commits: when an older backup is restored, or a standby that lagged
  // behind takes over. The store continues with what is left, and operators must be told.
  virtual Losses losses() const { return {}; }
  // Called for each loss, on any committing thread. REQUIRES: nothing was committed yet.
  virtual void listen_for_losses(std::function<void(const std::string&)>) {}

  // A store with a database server checks it about once a second. Safe from any thread.
  virtual StoreCondition condition() { return {.durability = store().capabilities().durability}; }
  // Called for each change, on any thread. REQUIRES: nothing was committed yet.
  virtual void listen_for_condition(std::function<void(const StoreCondition&)>) {}

  // The clock can be set while the store is open, or be wrong when it is opened.
  virtual ClockReport clock() const { return {}; }
  // Called for each step, on any thread that commits or reads. REQUIRES: nothing was committed yet.
  virtual void listen_for_clock_steps(std::function<void(const std::string&)>) {}

  // A random secret stored with the data, the same for every node; empty if there is none.
  virtual std::string secret() const { return {}; }
};

// The rules in force.
inline std::shared_ptr<const Rules> rules_of(const Backend& backend) {
  std::shared_ptr<const StoredRules> stored = backend.rules();
  const Rules* rules = &stored->rules;
  return {std::move(stored), rules};
}

}  // namespace longshore
