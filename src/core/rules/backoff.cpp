#include "core/rules/backoff.h"

#include <algorithm>
#include <cmath>

namespace longshore {
namespace {

// A number in [-1, 1) that is evenly distributed over jobs and differs between the failures of one
// job: an id's low bits are random, and multiples of the golden ratio do not repeat modulo 1.
double spread(const JobId& id, int failures) {
  const double start = static_cast<double>(id.low & 0xFFFFFF) / 0x1000000;
  const double step = start + failures * 0.6180339887498949;
  return 2 * (step - std::floor(step)) - 1;
}

}  // namespace

Duration backoff_delay(const Backoff& backoff, int failures, const JobId& id) {
  if (backoff.kind == Backoff::Kind::none) return Duration();
  // Capped at a century, since further doubling would overflow the integers.
  constexpr double longest = 100.0 * 365 * 86400 * 1000;
  double wait = static_cast<double>(backoff.base.count());
  // Sixty doublings of a millisecond exceed the century; more could give infinity times zero.
  if (backoff.kind == Backoff::Kind::exponential)
    wait *= std::exp2(std::clamp(failures, 1, 61) - 1);
  if (backoff.max) wait = std::min(wait, static_cast<double>(backoff.max->count()));
  wait = std::min(wait, longest);
  wait *= 1 + backoff.jitter * spread(id, failures);
  return Duration::millis(std::max<std::int64_t>(0, std::llround(wait)));
}

}  // namespace longshore
