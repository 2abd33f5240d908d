// How fast queues fill and drain, from the minutes that stores keep.
#pragma once

#include <map>
#include <span>
#include <string>

#include "longshore/command.h"
#include "longshore/time.h"

namespace longshore {

// Jobs a second.
struct Rates {
  double enqueued = 0;
  double started = 0;
  double finished = 0;
  friend bool operator==(const Rates&, const Rates&) = default;
};

// The beginning of the minutes that rates are measured over: the last five, the present included.
Instant rates_since(Instant now);

// By queue. Rows before rates_since(now) are left out; a queue that is younger than five minutes is
// measured over its own time.
std::map<std::string, Rates> rates_by_queue(std::span<const MinuteRow> rows, Instant now);

Instant minute_of(Instant at);

}  // namespace longshore
