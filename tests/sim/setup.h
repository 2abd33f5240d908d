// The setup of a seed: its rules, its size, and its faults. Each seed has only some kinds of
// faults, so that every kind also occurs without the others.
#pragma once

#include <cstdint>
#include <string>

#include "core/ids/random.h"
#include "engine/commit_queue.h"
#include "longshore/rules.h"

namespace longshore::sim {

// Defects that the simulator can inject, to prove that they are found.
enum class Planted : std::uint8_t {
  nothing,
  keeps_the_job_of_one_who_left,  // an abandoned claim is answered
  retries_a_claim_as_a_new_one,   // after a lost reply the worker claims with another id
  chores_end_with_an_error,       // after an error of the store, no sweep is sent again
  answers_before_the_store,       // enqueues are acknowledged and committed a little later
  mixes_up_answers,               // sometimes two commands get each other's verdicts
  starts_without_a_word,          // a node starts without StartNode
  releases_what_another_brought,  // a node releases a lease that another node has delivered
};
inline constexpr int planted_count = 8;
std::string_view to_text(Planted planted);

// Probabilities; 0: never.
struct Harm {
  double request_lost = 0, reply_lost = 0, reply_late = 0;   // between clients and nodes
  double commit_lost = 0, answer_lost = 0, commit_slow = 0;  // between nodes and the store
  double hint_lost = 0;                                      // from node to node
  double fall_silent = 0;                                    // a worker stops reporting on a job
  bool crash_nodes = false, stop_nodes = false, pause_nodes = false, shift_nodes = false;
  bool kill_workers = false, pause_workers = false;
  bool shift_store = false;
  bool break_disks = false;
  Duration every = Duration::seconds(3);  // average interval of these
};

// Additional behavior of wide setups. Narrow ones have none of it, so that old seeds keep their
// meaning.
struct Wide {
  bool on = false;            // three namespaces, an operator and limits in each
  bool reconfigures = false;  // limits and retention change
  bool sets_rules = false;    // rules of the store, too
  bool bulk = false;          // bulk calls
  bool tokens = false;
  bool claims_again = false;      // a claim that was answered, or waits, is repeated
  bool settles_together = false;  // a worker settles all its jobs in one call
  bool set_back = false;          // the store is replaced by an older copy
  bool polls = false;             // workers use the API, and their connections are cut
};

enum class HostKind : std::uint8_t { memory, sqlite };

struct Setup {
  std::uint64_t seed = 1;
  HostKind host = HostKind::memory;
  Planted planted = Planted::nothing;
  std::string mutant = {};
  Rules rules;
  CommitLimits limits;
  int nodes = 2;
  int committers = 1;  // fibers that commit on each node
  int workers = 3;
  int producers = 3;
  int jobs = 50;  // about how many are enqueued
  Duration chaos = Duration::seconds(30);
  // No crashes, pauses or silent workers; only lost messages, which are repeated. Then no lease may
  // expire while its worker runs.
  bool gentle = false;
  Harm harm;
  Wide wide;
};

Setup make_setup(std::uint64_t seed, HostKind host, Random& random);
// From a separate random source, so that the rest of the setup does not change.
Wide make_wide(const Setup& setup, Random& random);
std::string to_text(const Setup& setup);

}  // namespace longshore::sim
