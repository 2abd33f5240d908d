#include "core/rules/settle.h"

#include <gtest/gtest.h>

#include <string>

#include "core/rules/lifecycle.h"
#include "unit/core/situations.h"

namespace longshore {
namespace {

Situation running_job() {
  for (Situation& situation : situations(Rules())) {
    if (situation.name == "running") return situation;
  }
  ADD_FAILURE() << "no such situation";
  return {};
}

Change change_by(const Fail& fail) {
  return std::get<Change>(decide(running_job().record.job, fail, Rules(), table_now));
}

TEST(Settle, RefusesThePlatformsErrorCodes) {
  for (std::string_view code : {"TIMEOUT", "LEASE_LOST", "RELEASED", "POISON", "EXPIRED"}) {
    EXPECT_TRUE(is_reserved_code(code)) << code;
    Fail fail = told_fail(running_job());
    fail.error.code = code;
    const auto decision = decide(running_job().record.job, fail, Rules(), table_now);
    EXPECT_EQ(std::get<Refusal>(decision).code, Code::invalid_field) << code;
  }
  for (std::string_view code : {"CANCELED", "NO_HANDLER", "", "timeout", "TIMEOUT2", "BOOM"}) {
    EXPECT_FALSE(is_reserved_code(code)) << code;
  }
}

TEST(Settle, NamesAnErrorThatHasNoName) {
  Fail fail = told_fail(running_job());
  fail.error = {.code = {}, .message = "no idea", .details = R"({"at":7})"};
  const Change change = change_by(fail);
  EXPECT_EQ(change.error->code, "ERROR");
  EXPECT_EQ(change.error->message, "no idea");
  EXPECT_EQ(change.error->details, R"({"at":7})");
  EXPECT_EQ(change.transitions.front().detail, "ERROR");
}

TEST(Settle, CutsAMessageAt8KiBBetweenCharacters) {
  struct Case {
    std::string message;
    std::size_t kept;
  };
  const std::string ship = "\xF0\x9F\x9A\xA2";
  const Case cases[] = {
      {std::string(8192, 'a'), 8192},
      {std::string(8193, 'a'), 8192},
      {std::string(8189, 'a') + ship, 8189},
      {std::string(8188, 'a') + ship, 8192},
      {std::string(8188, 'a') + ship + "b", 8192},
      {std::string(8191, 'a') + ship, 8191},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.message.size());
    Fail fail = told_fail(running_job());
    fail.error.message = c.message;
    EXPECT_EQ(change_by(fail).error->message, c.message.substr(0, c.kept));
  }
}

TEST(Settle, TakesTheEpochAndTheClaimTogetherAsTheToken) {
  const Situation situation = running_job();
  struct Case {
    LeaseToken token;
    bool good;
  };
  const LeaseToken good = situation.token;
  const Case cases[] = {
      {good, true},
      {{good.epoch - 1, good.claim}, false},
      {{good.epoch + 1, good.claim}, false},
      {{good.epoch, RequestId{good.claim.high, good.claim.low + 1}}, false},
      {{good.epoch, RequestId{good.claim.high + 1, good.claim.low}}, false},
      {{good.epoch, RequestId{}}, false},
  };
  for (const Case& c : cases) {
    Change change{.after = situation.record.job};
    Draft draft(change, Rules(), table_now);
    EXPECT_EQ(holds(draft, c.token), c.good);
  }
}

// A job without an owner has a claim of zero, which no token matches.
TEST(Settle, NeverAcceptsAnEmptyToken) {
  Job job = running_job().record.job;
  job.claim = {};
  Change change{.after = job};
  Draft draft(change, Rules(), table_now);
  EXPECT_FALSE(holds(draft, {job.epoch, RequestId{}}));
}

TEST(Settle, HoldsUntilTheLeaseEnds) {
  const Situation situation = running_job();
  const Instant end = *situation.record.job.lease_expires_at;
  const auto held_at = [&](Instant at) {
    Change change{.after = situation.record.job};
    Draft draft(change, Rules(), at);
    return holds(draft, situation.token);
  };
  EXPECT_TRUE(held_at(end - Duration::millis(1)));
  EXPECT_FALSE(held_at(end));
}

TEST(Settle, DiesAfterOneMoreFailureThanRetries) {
  Situation situation = running_job();
  for (int retries : {0, 1, 3, 100}) {
    Job job = situation.record.job;
    job.policy.max_retries = retries;
    for (int failures = 0; failures <= retries; ++failures) {
      job.failures = failures;
      const auto change = std::get<Change>(decide(job, told_fail(situation), Rules(), table_now));
      EXPECT_EQ(change.after.state, failures == retries ? State::dead : State::retry);
      EXPECT_EQ(change.after.failures, failures + 1);
    }
  }
}

}  // namespace
}  // namespace longshore
