// Settled twice: the token that settled a job can repeat that outcome, and no other.
#include <functional>

#include "conformance/fixture.h"

namespace longshore::conformance {
namespace {

class StoreSettledTwice : public StoreTest {
 protected:
  struct Word {
    std::string name;
    std::function<Verdict(const Lease&)> say;
  };
  std::vector<Word> words() {
    return {
        {"complete", [this](const Lease& lease) { return complete(lease, "1"); }},
        {"complete otherwise", [this](const Lease& lease) { return complete(lease, "2"); }},
        {"fail", [this](const Lease& lease) { return fail(lease); }},
        {"fail for good", [this](const Lease& lease) { return fail(lease, {.retryable = false}); }},
        {"release", [this](const Lease& lease) { return release(lease); }},
    };
  }
};
INSTANTIATE_TEST_SUITE_P(, StoreSettledTwice, every_store(), store_name);

TEST_P(StoreSettledTwice, AnswersTheSameOutcomeAsBeforeAndRefusesEveryOther) {
  int row = 0;
  for (const Word& first : words()) {
    const std::string own_queue = "q" + std::to_string(row++);
    const Lease lease = running({.queue = own_queue});
    const Verdict answer = first.say(lease);
    for (const Word& second : words()) {
      SCOPED_TRACE(first.name + ", then " + second.name);
      const auto before = dump();
      const Verdict again = second.say(lease);
      if (first.name == second.name) {
        EXPECT_EQ(as<Settled>(again), as<Settled>(answer));
      } else {
        expect_refused(again, Code::already_settled);
      }
      EXPECT_TRUE(dump() == before);
    }
  }
}

TEST_P(StoreSettledTwice, LetsEveryOutcomeFollowAHandOff) {
  int row = 0;
  for (const Word& word : words()) {
    SCOPED_TRACE(word.name);
    const Lease lease = waiting({.queue = "q" + std::to_string(row++)});
    EXPECT_TRUE(std::holds_alternative<Settled>(word.say(lease)));
  }
}

TEST_P(StoreSettledTwice, KnowsOnlyTheTokenThatDidIt) {
  for (const Word& word : words()) {
    SCOPED_TRACE(word.name);
    const Lease lease = running({.queue = "q " + word.name});
    complete(lease, "1");
    Lease forged = lease;
    forged.token.claim = new_request();
    expect_refused(word.say(forged), Code::lease_lost);
  }
}

TEST_P(StoreSettledTwice, ForgetsAtTheNextClaim) {
  const Lease first = running();
  release(first);
  const Lease second = claim_one();
  for (const Word& word : words()) {
    SCOPED_TRACE(word.name);
    expect_refused(word.say(first), Code::lease_lost);
  }
  expect_status(complete(second), Status::completed);
}

TEST_P(StoreSettledTwice, AnswersTheStatusOfThenNotOfNow) {
  const Lease lease = running();
  expect_status(fail(lease, {.retry_after = seconds(1)}), Status::pending);
  cancel(lease.job);
  expect_state(lease.job, State::canceled);
  expect_status(fail(lease, {.retry_after = seconds(1)}), Status::pending);
}

}  // namespace
}  // namespace longshore::conformance
