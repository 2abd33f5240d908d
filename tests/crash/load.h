// Producers, workers and a sweeper on one store, each in a thread of its own, writing down every
// request before it is made and every answer after it came.
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
  NodeId node;   // whose workers these are; the same in every life
};

// Does not return: it is there to be killed. `store` and `clock` must be safe to share.
[[noreturn]] void work_for_ever(Store& store, Clock& clock, checker::HistoryWriter& history,
                                const Load& load);

}  // namespace longshore::crash
