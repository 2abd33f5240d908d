// Several nodes' worth of producers, workers and sweepers on one store behind a network, while
// somebody does harm to its connections or to its server. Everybody writes down what was asked and
// what was answered, and says again what was not answered; the checker judges.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "checker/judge.h"
#include "longshore/error.h"
#include "longshore/store.h"
#include "longshore/time.h"

namespace longshore::storm {

struct StormOptions {
  // Opens the store for one more node.
  std::function<Result<std::unique_ptr<Backend>>()> open;
  int nodes = 2;      // stores, each opened for itself
  int producers = 2;  // of each node
  int workers = 4;
  int blows = 20;
  std::uint64_t seed = 1;
  // Several commands in a commit, three namespaces with operators, queues with limits, nodes that
  // start again; until each of these was seen to matter. Without: single commands in one queue of
  // one namespace, as storms once were.
  bool wide = true;
  // How long one of the queues keeps what has ended. Longer than a call may be under way, or what
  // is sent again then is made anew.
  Duration keep = Duration::seconds(60);
  // The store commits one after the other, so that the times of rows tell their order.
  bool one_lane = false;
  int rounds = 4000;  // how often it is looked whether everything has ended, before giving up
  // Does harm once.
  std::function<void()> blow;
  // Keeps a copy of what the store is kept on, and puts that copy in its place: where both are
  // given, the first blow of three is the one, the third the other.
  std::function<void()> copy = {};
  std::function<void()> set_back = {};
};

// A queue that keeps its jobs no longer than this is seen to forget them before the storm ends.
inline constexpr Duration soon_forgotten = Duration::seconds(5);

struct Storm {
  std::string problem;  // what went wrong outside the store's promises; empty: nothing
  std::int64_t acknowledged = 0;
  std::int64_t unanswered = 0;  // calls that failed; what became of them was unknown
  std::int64_t jobs = 0;
  std::int64_t unended = 0;
  Duration longest_outage;  // from the end of a blow to the next answer
  checker::Judgement judgement;
};

Storm weather(const StormOptions& options);

// One line for people.
std::string to_text(const Storm& storm, const std::string& blows);
// How long it took is for whoever has the machine for himself to judge.
bool survived(const Storm& storm);

}  // namespace longshore::storm
