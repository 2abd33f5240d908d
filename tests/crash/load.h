// Producers, workers and a sweeper on one store, each in its own thread. They record every request
// before it is sent and every answer after it arrived.
#pragma once

#include <cstdint>

#include "checker/history_writer.h"
#include "core/time/clock.h"
#include "longshore/store.h"

namespace longshore::crash {

struct Load {
  int producers = 4;
  int workers = 6;
  std::uint64_t seed = 1;
  int life = 1;  // part of each client's name: a killed client does not come back
  NodeId node;   // of these workers; the same in every process
};

// Never returns: the process is killed. `store` and `clock` must be safe to share.
[[noreturn]] void run_forever(Store& store, Clock& clock, checker::HistoryWriter& history,
                              const Load& load);

}  // namespace longshore::crash
