// A Store remembers jobs. Each backend promises exactly what is written here, no more and no
// less; tests/conformance holds all of them to it. Reading for people is in catalog.h, hints
// that something happened in wakeups.h.
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
  b,  // process kill; a power cut may take the last seconds
  c,  // nothing
};

// What a backend can and cannot do. The conformance suite asserts each value both ways.
struct Capabilities {
  std::string name;                       // "memory", "sqlite", ...
  Durability durability = Durability::c;  // when it was opened; see Backend::condition()
  int max_concurrent_commits = 1;         // commits that may usefully run at once
  bool shared = false;                    // other processes may open the same store
  bool injected_clock = false;            // time comes from the caller's clock
  bool survives_reopen = false;           // data outlives the object
};

// A job moved, in the commit that says so.
struct JobEvent {
  std::string ns;
  JobId job;
  std::string type;
  std::string queue;
  Transition transition;
  Duration took;  // of a claim: how long the job was eligible; of an attempt's end: how long it ran
  std::string message = {};  // of the error that transition.detail names: what the public is told
  friend bool operator==(const JobEvent&, const JobEvent&) = default;
};

struct Committed {
  std::vector<Verdict> verdicts;  // one for each command, in the same order
  std::vector<JobEvent> events;   // every transition, in the order of commit
  Instant at;                     // the store's time at the end
  // Empty, or one place for each command. A command that has an Error here has no verdict: it fared
  // as if commit() had answered that Error for it alone, and the others stand. At least one command
  // has none.
  std::vector<std::optional<Error>> errors = {};
};

// Safe to share between threads. Judges each command alone and in order, by the store's own
// clock; each is atomic, and all are durable once the call returns. A refused command changes
// nothing and touches no other. After Errc::unavailable the outcome of every command is unknown
// and the same commands may be sent again; after any other Error nothing happened. A store whose
// namespaces are kept on several servers may fail some commands alone: see Committed::errors.
class Store {
 public:
  virtual ~Store() = default;

  virtual Result<Committed> commit(std::span<const Command> commands) = 0;
  virtual const Capabilities& capabilities() const = 0;
};

// Acknowledged commits that turned out to be gone.
struct Losses {
  std::int64_t count = 0;  // how often that was found out
  std::string latest;      // in words
};

// What a store promises now. Whoever runs the server that it is kept on may change that under it.
struct StoreCondition {
  Durability durability = Durability::c;  // of what is acknowledged now
  std::string trouble = {};               // what an operator has to change; empty: nothing
  std::string where = {};                 // on which server; for logs, not for the public
  // Less is promised than was accepted when the store was opened: every commit is answered
  // Errc::unavailable until that is over.
  bool refuses = false;
  friend bool operator==(const StoreCondition&, const StoreCondition&) = default;
};

// How the clock that a store judges by has behaved since the store was opened.
struct ClockReport {
  std::int64_t steps_forward = 0;
  std::int64_t steps_back = 0;
  Duration ahead = {};                      // of the store's time, while the clock is behind
  std::optional<Instant> prunes_from = {};  // by the clock; set while a step is waited out
  std::string alarm = {};                   // what people have to know; empty: all is well
};

// One opened store, seen from its three sides.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual Store& store() = 0;
  virtual Catalog& catalog() = 0;
  virtual Wakeups& wakeups() = 0;

  // The rules it judges by now. Another node may have changed them, which is noticed with the next
  // SeeNode at the latest. Never null; from any thread.
  virtual std::shared_ptr<const StoredRules> rules() const = 0;

  // Set once the store has stopped for good, after a failure of what it is kept on: it answers
  // nothing but that any more, and its process had better end.
  virtual std::optional<Error> broken() const { return std::nullopt; }

  // What the store is kept on may go back in time: an older copy is restored, a standby takes over
  // that had not received everything. Work goes on with what there is, and people have to know.
  virtual Losses losses() const { return {}; }
  // Hears of each loss, on any thread that commits. REQUIRES: nothing was committed yet.
  virtual void listen_for_losses(std::function<void(const std::string&)>) {}

  // A store on a server of its own looks at it about once a second. From any thread.
  virtual StoreCondition condition() { return {.durability = store().capabilities().durability}; }
  // Hears of each change, on any thread. REQUIRES: nothing was committed yet.
  virtual void listen_for_condition(std::function<void(const StoreCondition&)>) {}

  // The clock may be set while the store is open, or be wrong when it is opened.
  virtual ClockReport clock() const { return {}; }
  // Hears of each step, on any thread that commits or reads. REQUIRES: nothing was committed yet.
  virtual void listen_for_clock_steps(std::function<void(const std::string&)>) {}

  // A random text that is kept with the data, the same for every node; empty if there is none.
  virtual std::string secret() const { return {}; }
};

// The rules in force.
inline std::shared_ptr<const Rules> rules_of(const Backend& backend) {
  std::shared_ptr<const StoredRules> stored = backend.rules();
  const Rules* rules = &stored->rules;
  return {std::move(stored), rules};
}

}  // namespace longshore
