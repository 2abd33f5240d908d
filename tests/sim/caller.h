// How people of a simulated world talk to its nodes, and what is written into the history of it.
// Requests and replies get lost or come late, nodes die with the answer in their hands, and the
// one who asked may lose patience.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/calls.h"
#include "sim/node.h"
#include "sim/world.h"

namespace longshore::sim {

// What came of asking.
struct Heard {
  enum class Kind : std::uint8_t {
    answered,  // `verdict` is no Refusal
    refused,   // certainly nothing happened; `code` says why
    lost,      // nobody knows
    left,      // the one who asked went away first, and said so
  };
  Kind kind = Kind::lost;
  std::optional<Verdict> verdict;
  std::string code;

  bool answered() const { return kind == Kind::answered; }
};

// Somebody with a name, at one process. A caller with a home talks to that node alone, and both
// live in one process.
class Caller {
 public:
  Caller(World& world, std::string name, Node* home = nullptr)
      : world_(world), name_(std::move(name)), home_(home) {}

  // Once.
  Heard ask(const Command& command);
  // A claim that waits `wait` for work, from one who waits no longer than `patience`.
  Heard claim(const Claim& claim, Duration wait, Duration patience);
  // Again and again while nobody knows, as often as such people do.
  Heard insist(const Command& command);
  // All at once, at one node, which may commit them together. In the same order.
  std::vector<Heard> ask_all(const std::vector<Command>& commands);
  // The same claim at two nodes, as from one whose first call seemed dead: hears the first who
  // answers and hangs up on the other.
  Heard claim_twice(const Claim& claim, Duration wait, Duration patience);
  // The same by the way of the API, over a line that may be cut before the answer.
  Heard poll(const Claim& claim, Duration wait, Duration patience);
  // Looks at one job.
  void read(const std::string& ns, const JobId& job);

  const std::string& name() const { return name_; }
  World& world() { return world_; }
  Node* home() const { return home_; }

 private:
  class OpenCall;
  Heard exchange(const Command& command, Duration wait, Duration patience, bool may_leave);
  Heard hear(OpenCall& call, const Result<Answered>& answer);
  Node& choose_node();
  Duration patience();

  World& world_;
  const std::string name_;
  Node* const home_;
};

}  // namespace longshore::sim
