// The situations of lifecycle_table.txt: a valid record for each, built transition by transition.
#pragma once

#include <string>
#include <vector>

#include "longshore/command.h"
#include "longshore/job.h"
#include "longshore/rules.h"

namespace longshore {

struct Situation {
  std::string name;
  JobRecord record;
  LeaseToken token;  // of the last claim by a worker; of no claim at all if there was none
};

// When the events of the table happen. Edges lie exactly here: a lease that ended has ended now.
inline constexpr Instant table_now = Instant::millis(1'800'000'000'000);

// Commands that were already applied in some situations, to be repeated.
inline constexpr RequestId table_claim{0xC1A1, 0x1};
inline constexpr RequestId table_reply{0x3E91, 0x2};
inline constexpr JobId table_successor{0x019B'0000'0000'7000, 0x8000'0000'0000'0002};
Complete told_complete(const Situation& situation);
Fail told_fail(const Situation& situation);           // retryable, code BOOM
Fail told_fail_canceled(const Situation& situation);  // code CANCELED
FinishByKey told_finish();

// Every situation, in the table's order. The jobs' back-off is that of the rules; apart from it
// they have 3 retries and 1800 seconds.
std::vector<Situation> situations(const Rules& rules);

}  // namespace longshore
