// SIGTERM under load, with a handler that waits for the stop request and one that ignores it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "core/rules/settle.h"
#include "core/time/clock.h"
#include "crash/child.h"
#include "crash/evidence.h"
#include "crash/library_load.h"
#include "faults/scratch.h"

namespace longshore::crash {
namespace {

// Grace period, patience and a margin for a busy machine.
constexpr Duration longest_end = Duration::seconds(30);

class TerminatedProcess : public testing::Test {
 protected:
  void SetUp() override {
    Child child(Program::stubborn_library, scratch.path(), {.seed = 20260803});
    ASSERT_TRUE(child.ready()) << "the job of the handler that ignores stop was never given up";
    ASSERT_TRUE(child.works_for(Duration::millis(200)));
    SystemClock clock;
    const Instant asked = clock.now();
    ASSERT_EQ(child.terminate(longest_end, output), 0) << output;
    took = clock.now() - asked;
    const auto taken = evidence.take(1);
    ASSERT_TRUE(taken.ok()) << taken.error().message;
    counts = *taken;
    auto judged = evidence.judge();
    ASSERT_TRUE(judged.ok()) << judged.error().message;
    judgement = std::move(*judged);
  }

  const checker::JobDump& job_of(const std::string& type) const {
    const auto& jobs = evidence.history().jobs;
    return *std::ranges::find(jobs, type, [](const auto& dump) { return dump.job.type; });
  }

  const faults::Scratch scratch;
  Evidence evidence{scratch.path()};
  std::string output;
  Duration took;
  RequestCounts counts;
  checker::Judgement judgement;
};

TEST_F(TerminatedProcess, AnswersEveryRequestAndLosesNothingAndEndsWithinItsGracePeriod) {
  EXPECT_GT(counts.acknowledged, 0);
  EXPECT_EQ(counts.in_flight, 0) << "every request was answered before the end";
  EXPECT_TRUE(judgement.valid()) << checker::to_text(judgement);
  for (const checker::JobDump& dump : evidence.history().jobs) {
    EXPECT_NE(dump.job.state, State::running) << to_text(dump.job.id) << " " << dump.job.type;
  }
  // A second of grace and three of patience, for the handler that ignores stop; the rest is a
  // margin.
  EXPECT_LT(took, Duration::seconds(15));
  // One handler never returned, and its job had been given up by then.
  EXPECT_NE(output.find("abandoned 1"), std::string::npos) << output;

  const checker::JobDump& cooperative = job_of(cooperative_type);
  EXPECT_EQ(cooperative.job.state, State::queued) << "given back, uncounted";
  EXPECT_EQ(cooperative.job.failures, 0);

  const checker::JobDump& uncooperative = job_of(uncooperative_type);
  EXPECT_EQ(uncooperative.job.state, State::dead);
  EXPECT_EQ(uncooperative.error.value_or(""), platform::timeout);
}

}  // namespace
}  // namespace longshore::crash
