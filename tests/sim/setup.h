// What kind of world a seed makes: its rules, its size, and which harm can befall it. Each seed
// has some kinds of harm and not others, so that every kind is also seen without the rest.
#pragma once

#include <cstdint>
#include <string>

#include "core/ids/random.h"
#include "engine/commit_queue.h"
#include "longshore/rules.h"

namespace longshore::sim {

// Mistakes that the simulator can be told to make, to prove that they are found.
enum class Planted : std::uint8_t {
  nothing,
  keeps_the_job_of_one_who_left,  // a forgotten claim is answered all the same
  retries_a_claim_as_a_new_one,   // after a lost reply the worker asks under another id
  chores_end_with_an_error,       // once the store failed, no sweep is sent any more
  answers_before_the_store,       // enqueues are acknowledged and committed a little later
  mixes_up_answers,               // now and then two commands get each other's verdicts
  starts_without_a_word,          // a node begins without StartNode
  releases_what_another_brought,  // a node releases a lease that another one has answered with
};
inline constexpr int planted_count = 8;
std::string_view to_text(Planted planted);

// How likely, and whether at all.
struct Harm {
  double request_lost = 0, reply_lost = 0, reply_late = 0;   // between people and nodes
  double commit_lost = 0, answer_lost = 0, commit_slow = 0;  // between nodes and the store
  double hint_lost = 0;                                      // from node to node
  double fall_silent = 0;                                    // a worker forgets a job
  bool crash_nodes = false, stop_nodes = false, pause_nodes = false, shift_nodes = false;
  bool kill_workers = false, pause_workers = false;
  bool shift_store = false;
  bool break_disks = false;
  Duration every = Duration::seconds(3);  // about how often one of the latter
};

// What a wide world has beside the rest. A narrow one has nothing of it, and is what every world
// was before: seeds of that time still mean the same.
struct Wide {
  bool on = false;            // three namespaces, an operator and limits in each
  bool reconfigures = false;  // limits and retention change
  bool sets_rules = false;    // rules of the store, too
  bool bulk = false;          // many commands in one call
  bool tokens = false;
  bool claims_again = false;      // a claim that was answered, or waits, is sent again
  bool settles_together = false;  // a worker ends all that it holds in one call
  bool set_back = false;          // an older copy takes the place of the store
  bool polls = false;             // workers come by the way of the API, and their lines are cut
};

enum class Ground : std::uint8_t { memory, sqlite };

struct Setup {
  std::uint64_t seed = 1;
  Ground ground = Ground::memory;
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
  // Nobody dies, stalls or forgets: messages get lost, and are sent again. Then no lease may end
  // under the hands of its worker.
  bool gentle = false;
  Harm harm;
  Wide wide;
};

Setup make_setup(std::uint64_t seed, Ground ground, Random& random);
// From a source of its own, so that the rest of the setup stays what it is.
Wide make_wide(const Setup& setup, Random& random);
std::string to_text(const Setup& setup);

}  // namespace longshore::sim
