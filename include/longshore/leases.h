// The interface between a worker and an engine, which is in its own process or on a server: leases
// of jobs, and their heartbeats and outcomes.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "longshore/command.h"
#include "longshore/error.h"
#include "longshore/time.h"

namespace longshore {

// One request of a worker: commands for the jobs it holds, and a claim for more.
struct Turn {
  // Heartbeat, Complete, Fail, Release, HandOff and SeeWorkers; anything else is Errc::invalid.
  // An empty namespace or worker and an id of zero are filled in.
  std::vector<Command> words = {};
  std::optional<Claim> claim = {};  // executed after the commands; filled in likewise
  Duration wait = {};               // how long the claim waits for a job
};

struct Turned {
  std::vector<Verdict> verdicts = {};                        // one for each command, in order
  Result<std::vector<Lease>> leases = std::vector<Lease>();  // empty if none came in time
  Instant at = {};  // the store's time of the claim's answer, else of the commands'
};

// Safe to share between threads.
class Leases {
 public:
  virtual ~Leases() = default;

  // Sends the commands and waits for the claim, in one round trip if possible. If `stop` is
  // requested, the claim stops waiting and returns only what a try in flight finds. After an Error
  // the outcome of the commands is unknown: send them again.
  virtual Result<Turned> turn(Turn turn, std::stop_token stop) = 0;

  // The same without blocking. `answer` is called once, on any thread and possibly before this call
  // returns; it must not block. The default implementation blocks.
  using Answer = std::function<void(Result<Turned>)>;
  virtual void begin_turn(Turn turn, std::stop_token stop, Answer answer) {  // NOLINT
    answer(this->turn(std::move(turn), std::move(stop)));
  }

  // A monotonic time for waiting. It is not the store's time.
  virtual Instant now() = 0;
  // Blocks until now() is `at`, or until `stop` is requested.
  virtual void wait_until(Instant at, std::stop_token stop) = 0;

  // The halves of a turn.
  Result<std::vector<Lease>> claim(Claim claim, Duration wait, std::stop_token stop = {}) {
    Result<Turned> turned = turn({.claim = std::move(claim), .wait = wait}, std::move(stop));
    if (!turned) return turned.error();
    return std::move(turned->leases);
  }
  Result<std::vector<Verdict>> tell(std::vector<Command> words) {
    Result<Turned> turned = turn({.words = std::move(words)}, {});
    if (!turned) return turned.error();
    return std::move(turned->verdicts);
  }
};

}  // namespace longshore
