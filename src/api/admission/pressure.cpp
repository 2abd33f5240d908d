#include "api/admission/pressure.h"

#include <algorithm>
#include <cmath>
#include <variant>

namespace longshore {
namespace {

// Long enough for millisecond resolution.
constexpr Duration measured_period = Duration::millis(100);
constexpr double weight_of_latest = 0.3;
constexpr int retry_after_seconds_shown_max = 60;

std::size_t jobs_of(const Verdict& verdict) {
  if (const auto* enqueued = std::get_if<Enqueued>(&verdict)) return enqueued->jobs.size();
  if (const auto* leased = std::get_if<Leased>(&verdict)) {
    return std::max<std::size_t>(leased->leases.size(), 1);
  }
  return 1;
}

}  // namespace

void Pressure::note(const Committed& committed, Instant now, std::size_t waiting) {
  std::size_t jobs = 0;
  for (const Verdict& verdict : committed.verdicts) jobs += jobs_of(verdict);
  MutexLock lock(mutex_);
  if (busy_since_) {
    done_ += jobs;
    const Duration lasted = now - *busy_since_;
    if (lasted >= measured_period) {
      const double latest = static_cast<double>(done_) / lasted.in_seconds();
      rate_ = rate_ == 0 ? latest : rate_ + (latest - rate_) * weight_of_latest;
      busy_since_.reset();
    }
  }
  // The time between two commits measures the rate only while commands wait.
  if (waiting == 0) {
    busy_since_.reset();
  } else if (!busy_since_) {
    busy_since_ = now;
    done_ = 0;
  }
}

std::optional<Duration> Pressure::delay(std::size_t waiting) const {
  MutexLock lock(mutex_);
  if (rate_ <= 0) return std::nullopt;
  const double millis = static_cast<double>(waiting) / rate_ * 1000;
  return Duration::millis(static_cast<std::int64_t>(std::min(millis, 1e9)));
}

std::optional<int> Pressure::refuses(Load load, std::size_t waiting) const {
  if (load == Load::vital || waiting < limits_.waiting_min) return std::nullopt;
  if (load != Load::lease && waiting > limits_.waiting_max) return retry_after(waiting);
  const std::optional<Duration> lasts = delay(waiting);
  if (!lasts) return std::nullopt;
  Duration limit = limits_.lease;
  if (load == Load::listing) limit = limits_.listing;
  if (load == Load::enqueue) limit = limits_.enqueue;
  if (*lasts <= limit) return std::nullopt;
  return retry_after(waiting);
}

int Pressure::retry_after(std::size_t waiting) const {
  const Duration lasts = delay(waiting).value_or(Duration::seconds(1));
  const double seconds = std::ceil(lasts.in_seconds());
  return static_cast<int>(std::clamp(seconds, 1.0, double{retry_after_seconds_shown_max}));
}

double Pressure::jobs_per_second() const {
  MutexLock lock(mutex_);
  return rate_;
}

}  // namespace longshore
