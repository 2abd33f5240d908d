#include "core/time/store_time.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/text/time_text.h"

namespace longshore {
namespace {

// If the clock is behind by less than this, the store's time waits for it.
constexpr Duration short_lag = Duration::seconds(1);
// While the clock is behind, the store's time is slower by one part in this.
constexpr std::int64_t slowdown = 1000;

// "3 d 4 h": the two largest units.
std::string span_text(Duration span) {
  struct Unit {
    Duration length;
    const char* name;
  };
  constexpr std::array units = {Unit{Duration::days(1), " d"}, Unit{Duration::hours(1), " h"},
                                Unit{Duration::minutes(1), " min"},
                                Unit{Duration::seconds(1), " s"}};
  std::int64_t left = span.count();
  std::string text;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const std::int64_t count = left / units[i].length.count();
    if (count == 0) continue;
    left -= count * units[i].length.count();
    text = std::to_string(count) + units[i].name;
    const std::int64_t rest = i + 1 < units.size() ? left / units[i + 1].length.count() : 0;
    if (rest > 0) text += " " + std::to_string(rest) + units[i + 1].name;
    return text;
  }
  return "0 s";
}

}  // namespace

StoreTime::StoreTime(const Saved& saved)
    : highest_(saved.highest), anchor_(saved.highest), stepped_at_(saved.stepped_at) {}

void StoreTime::listen(std::function<void(const std::string&)> listener) {
  MutexLock lock(mutex_);
  listener_ = std::move(listener);
}

Instant StoreTime::heard(const ClockReading& reading, const std::string& server) {
  std::function<void(const std::string&)> listener;
  std::string words;
  Instant now;
  {
    MutexLock lock(mutex_);
    if (!begun_) begin(reading);
    words = note_step(reading, server);
    follow_clock(reading);
    now = highest_;
    if (!words.empty()) listener = listener_;
  }
  if (listener) listener(words);
  return now;
}

// The clock was not observed while the store was closed. If that was for long, pruning waits as
// after a step; a wait that had begun before is extended.
void StoreTime::begin(const ClockReading& reading) {
  mutex_.assert_held();
  begun_ = true;
  const Duration closed = reading.said - highest_;
  const bool is_new = highest_ == Instant();
  const bool waited =
      stepped_at_ && *stepped_at_ <= highest_ && highest_ < *stepped_at_ + prune_wait;
  if (!is_new && closed > prune_wait) {
    stepped_at_ = reading.said;
  } else if (waited && closed > Duration()) {
    stepped_at_ = *stepped_at_ + closed;
  }
  anchor_ = std::max(highest_, reading.said);
  anchor_at_ = reading.answered;
}

// The message for the listener; empty without a step.
std::string StoreTime::note_step(const ClockReading& reading, const std::string& server) {
  mutex_.assert_held();
  const Duration said = reading.said - Instant();
  const Offset now{.least = said - reading.answered, .most = said - reading.asked};
  const auto [known, is_new] = offsets_.try_emplace(server, now);
  const Offset before = std::exchange(known->second, now);
  const Duration jump = reading.said - (anchor_ + (reading.answered - anchor_at_));
  if (jump > tolerance) {
    ++steps_forward_;
    stepped_at_ = reading.said;
    jumped_ += jump;
    return "the clock stepped forward by " + span_text(jump) + "; the store's time is now " +
           to_text(reading.said) + ", and nothing is pruned before " +
           to_text(reading.said + prune_wait);
  }
  if (is_new) return {};
  if (now.least - before.most > tolerance) {
    ++steps_forward_;
    return "the clock stepped forward by " + span_text(now.least - before.most) +
           ", towards the store's time";
  }
  if (before.least - now.most > tolerance) {
    ++steps_back_;
    return "the clock stepped back by " + span_text(before.least - now.most) +
           "; the store's time continues from " + to_text(highest_);
  }
  return {};
}

void StoreTime::follow_clock(const ClockReading& reading) {
  mutex_.assert_held();
  said_ = reading.said;
  // The answer may have been delayed, and later answers may have arrived before it.
  const Duration known_at = std::max(reading.answered, anchor_at_);
  const Instant latest = reading.said + (known_at - reading.asked);
  highest_ = extrapolated(reading.answered);
  behind_ = latest < highest_ - short_lag;
  if (behind_) {
    highest_ = extrapolated(reading.answered);
    return;
  }
  highest_ = std::max(highest_, reading.said);
  anchor_ = highest_;
  anchor_at_ = known_at;
}

Instant StoreTime::extrapolated(Duration steady) const {
  mutex_.assert_held();
  if (!behind_) return highest_;
  const std::int64_t passed = std::max<std::int64_t>((steady - anchor_at_).count(), 0);
  return std::max(highest_, anchor_ + Duration::millis(passed - passed / slowdown));
}

Instant StoreTime::at(Duration steady) const {
  MutexLock lock(mutex_);
  return extrapolated(steady);
}

void StoreTime::raise(Instant told, Duration steady) {
  MutexLock lock(mutex_);
  const Instant known = extrapolated(steady);
  highest_ = std::max(highest_, told);
  if (told <= known) return;
  anchor_ = told;
  anchor_at_ = steady;
}

Instant StoreTime::highest() const {
  MutexLock lock(mutex_);
  return highest_;
}

std::optional<Instant> StoreTime::stepped_at() const {
  MutexLock lock(mutex_);
  return stepped_at_;
}

void StoreTime::learn_step(std::optional<Instant> stepped_at) {
  MutexLock lock(mutex_);
  if (stepped_at) stepped_at_ = stepped_at;
}

// If the clock was set back before its step, the step was the error.
bool StoreTime::waits_to_prune() const {
  mutex_.assert_held();
  return stepped_at_ && *stepped_at_ <= said_ && said_ < *stepped_at_ + prune_wait;
}

Instant StoreTime::prune_by() const {
  MutexLock lock(mutex_);
  if (waits_to_prune()) return {};
  return behind_ ? said_ : highest_;
}

Duration StoreTime::take_jump() {
  MutexLock lock(mutex_);
  return std::exchange(jumped_, Duration());
}

std::string StoreTime::alarm() const {
  mutex_.assert_held();
  if (behind_ && highest_ - said_ > tolerance) {
    return "the store's time is " + span_text(highest_ - said_) +
           " ahead of its clock; see docs/clock.md";
  }
  if (!waits_to_prune()) return {};
  return "the clock stepped forward, or the store was closed for more than a day; nothing is "
         "pruned before " +
         to_text(*stepped_at_ + prune_wait) + ", in case the clock is wrong";
}

ClockReport StoreTime::report() const {
  MutexLock lock(mutex_);
  ClockReport report{.steps_forward = steps_forward_, .steps_back = steps_back_, .alarm = alarm()};
  if (behind_) report.ahead = highest_ - said_;
  if (waits_to_prune()) report.prunes_from = *stepped_at_ + prune_wait;
  return report;
}

Result<Audit> with_clock(Result<Audit> audit, const StoreTime& time) {
  std::string alarm = time.report().alarm;
  if (audit && !alarm.empty()) audit->warnings.push_back(std::move(alarm));
  return audit;
}

Instant MonotonicClock::now() {
  const Duration asked = followed_.steady();
  const Instant said = followed_.now();
  return time_.heard({.said = said, .asked = asked, .answered = followed_.steady()});
}

}  // namespace longshore
