// The moment of a decision. Every comparison with the clock goes through `reached`, which
// remembers how far time could move without changing any answer: that becomes the guard.
#pragma once

#include <algorithm>

#include "longshore/time.h"

namespace longshore {

class Moment {
 public:
  explicit Moment(Instant now) : now_(now) {}

  Instant now() const { return now_; }
  Instant not_before() const { return not_before_; }
  Instant before() const { return before_; }

  bool reached(Instant at) {
    const bool yes = now_ >= at;
    if (yes) {
      not_before_ = std::max(not_before_, at);
    } else {
      before_ = std::min(before_, at);
    }
    return yes;
  }

 private:
  Instant now_;
  Instant not_before_ = Instant::millis(0);
  Instant before_ = Instant::never();
};

}  // namespace longshore
