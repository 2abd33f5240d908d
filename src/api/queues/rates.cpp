#include "api/queues/rates.h"

#include <algorithm>

namespace longshore {
namespace {

struct Sums {
  std::int64_t enqueued = 0, started = 0, finished = 0;
  Instant first = Instant::never();
};

void add(Sums& sums, const MinuteRow& row) {
  sums.enqueued += row.enqueued;
  sums.started += row.started;
  sums.finished += row.succeeded + row.dead + row.canceled;
  sums.first = std::min(sums.first, row.minute);
}

Rates rates_of(const Sums& sums, Instant now) {
  const double seconds = std::max((now - sums.first).in_seconds(), 1.0);
  const auto rate = [seconds](std::int64_t count) { return static_cast<double>(count) / seconds; };
  return {rate(sums.enqueued), rate(sums.started), rate(sums.finished)};
}

}  // namespace

Instant minute_of(Instant at) {
  return Instant::millis(at.count() - at.count() % Duration::minutes(1).count());
}

Instant rates_since(Instant now) { return minute_of(now) - Duration::minutes(4); }

std::map<std::string, Rates> rates_by_queue(std::span<const MinuteRow> rows, Instant now) {
  std::map<std::string, Sums> sums;
  for (const MinuteRow& row : rows) {
    if (row.minute >= rates_since(now)) add(sums[row.queue], row);
  }
  std::map<std::string, Rates> rates;
  for (const auto& [queue, sum] : sums) rates[queue] = rates_of(sum, now);
  return rates;
}

}  // namespace longshore
