// A store whose n-th call fails, and a loop that fails each call in turn, so that every error path
// is tested.
#pragma once

#include <gtest/gtest.h>

#include "longshore/store.h"

namespace longshore::conformance {

enum class Fault {
  request_lost,  // the call never reached the store
  reply_lost,    // it did, but the answer was lost
};

// Both faults look the same from outside: Errc::unavailable.
class FaultyStore final : public Store {
 public:
  // `inner` must outlive this store. Calls count from 1; the n-th fails.
  FaultyStore(Store& inner, int nth, Fault fault) : inner_(inner), nth_(nth), fault_(fault) {}

  Result<Committed> commit(std::span<const Command> commands) override {
    calls_ += 1;
    if (calls_ != nth_) return inner_.commit(commands);
    fired_ = true;
    if (fault_ == Fault::reply_lost) {
      const auto unseen = inner_.commit(commands);
      EXPECT_TRUE(unseen.ok());
    }
    return Error{.code = Errc::unavailable, .message = "call " + std::to_string(nth_) + " lost"};
  }
  const Capabilities& capabilities() const override { return inner_.capabilities(); }

  bool fired() const { return fired_; }

 private:
  Store& inner_;
  const int nth_;
  const Fault fault_;
  int calls_ = 0;
  bool fired_ = false;
};

// Calls body(n) for n = 1, 2, 3, ... until a run reports that its fault did not occur. Returns the
// number of failed calls, one per run.
template <class Body>
int for_each_fault(Body body) {
  for (int nth = 1;; ++nth) {
    SCOPED_TRACE(testing::Message() << "call " << nth << " fails");
    if (!body(nth) || testing::Test::HasFailure()) return nth - 1;
  }
}

}  // namespace longshore::conformance
