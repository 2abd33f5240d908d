// Whole lifecycles of durable jobs: through Client and Worker, and by the store's own commits.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/measure.h"

namespace longshore::bench {

inline constexpr int producers = 64;
inline constexpr int slots = 64;

struct LibraryRun {
  double seconds = 0;    // from the first enqueue until the last outcome is durable
  double processor = 0;  // seconds of it, of all threads
  double machine = 0;    // the same of every program
  double commits = 0;
  double joined = 0;            // jobs handed out by the very commit that brought them in
  double in_store = 0;          // seconds in which a commit was under way
  double committer_ran = 0;     // seconds on a processor, of the committing thread
  double committer_waited = 0;  // and those it waited for one
  double switches = 0;  // of context: each is a thread that was put to sleep or pushed aside
};

// Producers that each wait for their enqueue to be durable before the next, and handlers that do
// nothing, on an existing store or a new one. Ends the program if a job is not done in the end.
LibraryRun through_library(const std::string& path, std::int64_t jobs);

struct StoreRun {
  Took took;
  double processor = 0;
  double switches = 0;
};

// The same commands by one thread: each commit settles what the one before handed out, brings in
// `batch` jobs and hands as many out, one command for each. A job that waits for a later commit
// than its own is written once more, so `waiting` jobs are always ahead of those that come in.
StoreRun by_store_alone(const std::string& path, std::int64_t jobs, std::int64_t batch,
                        std::int64_t waiting);

struct IdleRun {
  std::vector<double> millis;  // from the call of enqueue to the first line of the handler
  double waited = 0;           // milliseconds a job, that its threads waited for a processor
};

// One job at a time, with pauses in which everybody falls asleep.
IdleRun when_idle(const std::string& path, int jobs);

}  // namespace longshore::bench
