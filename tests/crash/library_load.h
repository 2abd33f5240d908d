// A program that uses the library as others do, under load: producers with a Client, handlers of
// all kinds in a Worker, on one store.
#pragma once

#include <functional>
#include <string>

#include "checker/history_writer.h"
#include "crash/load.h"
#include "longshore/worker.h"

namespace longshore::crash {

// The job types of handlers that end only when their worker does: one listens when it is asked to
// stop, the other never does and is over its timeout.
inline constexpr const char* patient_type = "patient";
inline constexpr const char* deaf_type = "deaf";

struct LibraryLoad {
  Load load;
  bool stubborn = false;  // with one job of each of the two types above
  Duration grace = Duration::seconds(1);
};

// Calls `ready` once everybody works, and the deaf handler's job has been given up. Returns after
// SIGTERM, when all has stopped, unless it is killed.
StopReport use_library(const std::string& path, checker::HistoryWriter& history,
                       const LibraryLoad& wanted, const std::function<void()>& ready);

}  // namespace longshore::crash
