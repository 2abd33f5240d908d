// Leases are how a worker gets jobs and gives them back. The worker does not know whether the
// other side is an engine in its own process or a server across the network.
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

// One visit: what a worker has to say about jobs it holds, and what it asks for next.
struct Turn {
  // Heartbeat, Complete, Fail, Release, HandOff and SeeWorkers; anything else is Errc::invalid.
  // An empty namespace or worker and an id of zero are filled in.
  std::vector<Command> words = {};
  std::optional<Claim> claim = {};  // judged after the words; filled in alike
  Duration wait = {};               // how long the claim may wait for work to come
};

struct Turned {
  std::vector<Verdict> verdicts = {};                        // one for each word, in order
  Result<std::vector<Lease>> leases = std::vector<Lease>();  // empty if none came in time
  Instant at = {};  // the store's time when the claim was answered, else the words
};

// Safe to share between threads.
class Leases {
 public:
  virtual ~Leases() = default;

  // Says the words and waits for the claim, in one round trip where the other side allows it.
  // When `stop` is requested the claim waits no longer, and brings nothing more than what a try
  // already on its way finds. An Error means that the fate of the words is unknown: say them
  // again.
  virtual Result<Turned> turn(Turn turn, std::stop_token stop) = 0;

  // The same, for whoever can do something else meanwhile. `answer` is called once, by any thread
  // and perhaps before the call returns; it must not block. Leases that know no better wait here.
  using Answer = std::function<void(Result<Turned>)>;
  virtual void begin_turn(Turn turn, std::stop_token stop, Answer answer) {  // NOLINT
    answer(this->turn(std::move(turn), std::move(stop)));
  }

  // A time that never goes back, to pace by. It is not the store's.
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
