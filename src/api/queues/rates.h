// Rates of queues, from the per-minute statistics of the store.
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

// The begin of the period that rates are measured over: five minutes, the present one included.
Instant rates_since(Instant now);

// By queue. Rows before rates_since(now) are ignored; a queue younger than five minutes is measured
// over its lifetime.
std::map<std::string, Rates> rates_by_queue(std::span<const MinuteRow> rows, Instant now);

Instant minute_of(Instant at);

}  // namespace longshore
