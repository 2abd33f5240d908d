// A program that uses the library under load: producers with a Client, and handlers of all kinds in
// a Worker, on one store.
#pragma once

#include <functional>
#include <string>

#include "checker/history_writer.h"
#include "crash/load.h"
#include "longshore/worker.h"

namespace longshore::crash {

// The job types of handlers that end only with their worker: one stops when asked to, the other
// never does and exceeds its timeout.
inline constexpr const char* cooperative_type = "cooperative";
inline constexpr const char* uncooperative_type = "uncooperative";

struct LibraryLoad {
  Load load;
  bool stubborn = false;  // with one job of each of the two types above
  Duration grace = Duration::seconds(1);
};

// Calls `ready` once all threads work and the job of the handler that ignores stop has been given
// up. Returns after SIGTERM, when everything has stopped.
StopReport use_library(const std::string& path, checker::HistoryWriter& history,
                       const LibraryLoad& wanted, const std::function<void()>& ready);

}  // namespace longshore::crash
