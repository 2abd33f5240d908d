// Calls of clients to nodes, recorded in the history. Requests and replies are lost or delayed,
// nodes crash before they answer, and callers give up.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/calls.h"
#include "sim/node.h"
#include "sim/world.h"

namespace longshore::sim {

// The result of a call.
struct CallResult {
  enum class Kind : std::uint8_t {
    answered,  // `verdict` is no Refusal
    refused,   // certainly not applied; `code` says why
    lost,      // unknown
    left,      // the caller disconnected first
  };
  Kind kind = Kind::lost;
  std::optional<Verdict> verdict;
  std::string code;

  bool answered() const { return kind == Kind::answered; }
};

// A client with a name. A caller with a home only calls that node, and is in the same process.
class Caller {
 public:
  Caller(World& world, std::string name, Node* home = nullptr)
      : world_(world), name_(std::move(name)), home_(home) {}

  // Once.
  CallResult ask(const Command& command);
  // A claim that waits `wait` for jobs; the caller gives up after `patience`.
  CallResult claim(const Claim& claim, Duration wait, Duration patience);
  // Repeats the call while its outcome is unknown, a limited number of times.
  CallResult ask_until_answered(const Command& command);
  // All at once, to one node, which may commit them together. Results in the same order.
  std::vector<CallResult> ask_all(const std::vector<Command>& commands);
  // The same claim to two nodes, as if the first call had timed out: takes the first answer and
  // disconnects from the other.
  CallResult claim_twice(const Claim& claim, Duration wait, Duration patience);
  // The same through the API, over a connection that may be cut before the answer.
  CallResult poll(const Claim& claim, Duration wait, Duration patience);
  // Reads one job.
  void read(const std::string& ns, const JobId& job);

  const std::string& name() const { return name_; }
  World& world() { return world_; }
  Node* home() const { return home_; }

 private:
  class OpenCall;
  CallResult exchange(const Command& command, Duration wait, Duration patience, bool may_leave);
  CallResult hear(OpenCall& call, const Result<Answered>& answer);
  Node& choose_node();
  Duration patience();

  World& world_;
  const std::string name_;
  Node* const home_;
};

}  // namespace longshore::sim
