// What a store's server promises now, for whoever asks and whoever listens. A promise that became
// weaker holds at once; a stronger one is believed once it has been seen for a while.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/sync/mutex.h"
#include "longshore/error.h"
#include "longshore/store.h"

namespace longshore {

inline char letter_of(Durability durability) {
  return durability == Durability::a ? 'A' : durability == Durability::b ? 'B' : 'C';
}

// One look at a server, or at all of them.
struct Sighting {
  Durability durability = Durability::c;
  std::string trouble = {};
  std::string where = {};
  // False while the server still brings older data in line with what it now promises. A weaker
  // promise is believed all the same.
  bool settled = true;
};

// Safe to share between threads.
class ConditionBook {
 public:
  // How long a stronger promise has to be seen, without a look that says otherwise.
  static constexpr std::int64_t confirm_micros = 3'000'000;

  // Less than `accepted` is refused.
  ConditionBook(Durability first, Durability accepted);

  // `now` is steady_micros(). Calls the listener on this thread if the condition changed.
  void saw(const Sighting& sighting, std::int64_t now);

  StoreCondition condition() const;
  // What a commit is answered while the store promises less than was accepted. Takes no lock as
  // long as it does not.
  std::optional<Error> refusal() const;
  void listen(std::function<void(const StoreCondition&)> listener);

 private:
  bool rises(const Sighting& sighting, std::int64_t now);

  const Durability accepted_;
  std::atomic<bool> refuses_;
  mutable Mutex mutex_;
  StoreCondition condition_ LONGSHORE_GUARDED_BY(mutex_);
  std::optional<std::int64_t> better_since_ LONGSHORE_GUARDED_BY(mutex_);
  Durability better_ LONGSHORE_GUARDED_BY(mutex_) = Durability::c;  // seen since then
  std::function<void(const StoreCondition&)> listener_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore
