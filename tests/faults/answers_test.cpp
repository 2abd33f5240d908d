#include "faults/answers.h"

#include <gtest/gtest.h>

namespace longshore::faults {
namespace {

constexpr Instant noon = Instant::millis(1'767'268'800'000);

Committed answer(Verdict verdict) { return {.verdicts = {Done{}, std::move(verdict)}}; }

TEST(Answers, AreToldApartByTheValuesThatDiffer) {
  const Swept swept{.count = 3, .next = noon};
  Swept later = swept, fewer = swept;
  later.next = noon + Duration::seconds(1);
  fewer.count = 2, fewer.next = std::nullopt;
  const Lease lease{.job = {1, 2}, .type = "mail", .attempt = 1, .lease_expires_at = noon};
  Lease longer = lease, other_body = lease;
  longer.lease_expires_at = noon + Duration::seconds(1);
  other_body.body.payload = std::string(100, 'x');
  struct Case {
    Verdict expected;
    Verdict actual;
    std::string words;
  };
  const Case cases[] = {
      {swept, swept, ""},
      {swept, later,
       "swept with next 2026-01-01T12:00:01.000Z; expected next "
       "2026-01-01T12:00:00.000Z"},
      {swept, fewer,
       "swept with count 2, next none; expected count 3, next "
       "2026-01-01T12:00:00.000Z"},
      {Leased{{lease}}, Leased{{longer}},
       "leased with end of lease 0 2026-01-01T12:00:01.000Z; "
       "expected end of lease 0 2026-01-01T12:00:00.000Z"},
      {Leased{{lease}}, Leased{{other_body}},
       "leased with payload of lease 0 '" + std::string(60, 'x') +
           "...' (100 bytes); expected payload of lease 0 ''"},
      {Done{}, Refusal{.code = Code::not_found, .detail = "no such job"},
       "refused with code NOT_FOUND, detail 'no such job', job none, index 0; expected done with "
       "nothing more"},
  };
  for (const Case& one : cases) {
    const std::string words = difference(answer(one.expected), answer(one.actual));
    EXPECT_EQ(words, one.words.empty() ? "" : "command 1 is answered: " + one.words);
  }
}

TEST(Answers, AreToldApartByTransitionsAndTime) {
  const Committed none{.at = noon};
  Committed one = none, later = none;
  one.events.push_back({.ns = "main", .transition = {.seq = 1, .to = State::queued}});
  later.at = noon + Duration::seconds(1);
  EXPECT_EQ(difference(none, none), "");
  EXPECT_EQ(difference(none, later),
            "the time is 2026-01-01T12:00:01.000Z; expected 2026-01-01T12:00:00.000Z");
  Committed other = one;
  other.events[0].transition.to = State::created;
  EXPECT_EQ(difference(one, other), "transition 0 has to CREATED; expected to QUEUED");
  EXPECT_EQ(difference(other, none).substr(0, 35), "transition 0 has nothing more; expe");
}

}  // namespace
}  // namespace longshore::faults
