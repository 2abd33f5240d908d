// Complete life cycles of durable jobs: through Client and Worker, and by commits to the store.
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
  double machine = 0;    // of all programs on the machine
  double commits = 0;
  double joined = 0;            // jobs leased by the commit that enqueued them
  double in_store = 0;          // seconds with a commit in progress
  double committer_ran = 0;     // seconds on a processor, of the committing thread
  double committer_waited = 0;  // and seconds it waited for one
  double switches = 0;          // context switches
};

// Producers that each wait for an enqueue to be durable before the next one, and handlers that do
// nothing, on an existing or a new store. Ends the program if a job is unfinished.
LibraryRun through_library(const std::string& path, std::int64_t jobs);

struct StoreRun {
  Took took;
  double processor = 0;
  double switches = 0;
};

// The same commands by one thread: each commit settles the jobs leased by the previous one,
// enqueues `batch` jobs and claims as many, one command each. A job claimed by a later commit than
// its own is written once more, so `waiting` jobs are always ahead of new ones.
StoreRun by_store_alone(const std::string& path, std::int64_t jobs, std::int64_t batch,
                        std::int64_t waiting);

struct IdleRun {
  std::vector<double> millis;  // from the call of enqueue to the first line of the handler
  double waited = 0;           // milliseconds a job, that its threads waited for a processor
};

// One job at a time, with pauses in which all threads go to sleep.
IdleRun when_idle(const std::string& path, int jobs);

}  // namespace longshore::bench
