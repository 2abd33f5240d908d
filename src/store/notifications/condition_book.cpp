#include "store/notifications/condition_book.h"

#include <utility>

namespace longshore {

ConditionBook::ConditionBook(Durability first, Durability accepted)
    : accepted_(accepted), refuses_(first > accepted) {
  MutexLock lock(mutex_);
  condition_ = {.durability = first, .refuses = first > accepted};
}

void ConditionBook::saw(const Sighting& sighting, std::int64_t now) {
  std::function<void(const StoreCondition&)> listener;
  StoreCondition after;
  {
    MutexLock lock(mutex_);
    if (sighting.durability < condition_.durability && !rises(sighting, now)) return;
    better_since_.reset();
    after = {.durability = sighting.durability,
             .trouble = sighting.trouble,
             .where = sighting.where,
             .refuses = sighting.durability > accepted_};
    if (after == condition_) return;
    condition_ = after;
    refuses_ = after.refuses;
    listener = listener_;
  }
  if (listener) listener(after);
}

// Whether a stronger promise has been seen for long enough.
bool ConditionBook::rises(const Sighting& sighting, std::int64_t now) {
  mutex_.assert_held();
  if (!sighting.settled) {
    better_since_.reset();
    return false;
  }
  if (!better_since_ || sighting.durability != better_) {
    better_since_ = now;
    better_ = sighting.durability;
  }
  return now - *better_since_ >= confirm_micros;
}

StoreCondition ConditionBook::condition() const {
  MutexLock lock(mutex_);
  return condition_;
}

std::optional<Error> ConditionBook::refusal() const {
  if (!refuses_) return std::nullopt;
  const StoreCondition now = condition();
  if (!now.refuses) return std::nullopt;
  return Error{.code = Errc::unavailable,
               .message = std::string("The store has fallen to durability class ") +
                          letter_of(now.durability) + ", below the accepted class " +
                          letter_of(accepted_) + " (" + now.trouble +
                          "). Nothing is acknowledged until this is corrected"};
}

void ConditionBook::listen(std::function<void(const StoreCondition&)> listener) {
  MutexLock lock(mutex_);
  listener_ = std::move(listener);
}

}  // namespace longshore
