// Random programs for two stores at once: a list of small numbers that a ProgramRun reads as
// commands. Numbers shrink well, and the same numbers always make the same program.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "conformance/harness.h"
#include "core/ids/random.h"
#include "core/ids/uuid.h"
#include "longshore/command.h"
#include "longshore/rules.h"

namespace longshore::conformance {

// The operation, and five numbers that each command interprets.
using Instruction = std::array<std::uint8_t, 6>;

struct Program {
  // Picks a profile, or native with an option changed. In every other program most jobs are plain
  // and go through one queue, which is what stores are quickest at.
  std::uint8_t rules = 0;
  std::vector<Instruction> instructions;
  // With groups of hundreds of jobs in one program of 16, starts at a moment, and rules that
  // change. Without: the original programs, to show which defects they do not find.
  bool wide = true;

  bool large() const { return wide && rules / 16 % 16 == 7; }
};

Rules rules_of(const Program& program);

// How often each command type was answered so, by its index.
struct Tally {
  std::array<int, std::variant_size_v<Command>> accepted{};
  std::array<int, std::variant_size_v<Command>> refused{};
};

// Where a program runs.
struct Stage {
  std::string suffix = {};    // of its namespaces
  std::uint64_t seed = 4242;  // of the ids that it makes
  // Other programs use the second store: no commands that affect them, and time does not pass.
  bool shared = false;
};

// Runs one program on two stores and compares all answers, all events, and at the end everything
// that can be read.
class ProgramRun {
 public:
  // Both must be new and open under the same rules, but for what others did on a shared stage.
  // `tally` is added to.
  ProgramRun(StoreHarness& left, StoreHarness& right, Tally& tally, Stage stage = {})
      : left_(left), right_(right), tally_(tally), stage_(std::move(stage)) {}

  // A description of the first difference, or none.
  std::optional<std::string> difference_of(const Program& program);
  // The same in two parts: some instructions of the program, and the end.
  std::optional<std::string> play(const Program& program, std::size_t from, std::size_t until);
  std::optional<std::string> finish();

 private:
  struct Held {
    std::string ns;
    Lease lease;
  };

  std::optional<std::string> step(const Instruction& instruction);
  std::optional<std::string> reopen();
  std::optional<std::string> send(const std::vector<Command>& commands);
  std::optional<std::string> compare_ends();
  std::optional<std::string> drain();
  void remember(const Command& command, const Verdict& verdict);

  Command command_of(const Instruction& instruction);
  Command enqueue(const Instruction& choice);
  NewJob new_job(const Instruction& choice, int shift);
  NewJob plain_job(const Instruction& choice);
  Command claim(const Instruction& choice);
  Command work(const Instruction& choice);
  Command operate(const Instruction& choice);
  Command sweep(const Instruction& choice);
  Command observe(const Instruction& choice);
  Outcome outcome(std::uint8_t choice);
  RequestId request() { return random_id<RequestId>(random_); }
  std::string ns(std::uint8_t choice) const {
    return (choice % 8 == 0 ? "other" : "default") + stage_.suffix;
  }
  Command set_rules(const Instruction& choice);
  JobId any_job(std::uint8_t choice);
  Held any_lease(std::uint8_t choice);

  StoreHarness& left_;
  StoreHarness& right_;
  Tally& tally_;
  const Stage stage_;
  SeededRandom random_{stage_.seed};
  JobIds ids_{random_};
  std::vector<JobId> jobs_;    // enqueued so far
  std::vector<Held> leases_;   // answered so far, stale ones too
  std::vector<Command> said_;  // to be repeated
  bool plain_ = false;
  bool wide_ = true;
  bool large_ = false;
  std::vector<Command> batch_;  // not sent yet
};

// Runs programs concurrently on one store, each with its own namespaces and thread, and compares
// each with its own reference. Between the parts of the programs all threads wait while time
// advances and the sweeps run. Returns a description of the first difference.
std::optional<std::string> difference_of_threads(const std::vector<Program>& programs,
                                                 const std::vector<StoreHarness*>& references,
                                                 StoreHarness& judged);

}  // namespace longshore::conformance
