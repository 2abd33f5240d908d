// SIGTERM in the middle of work, with a handler that waits to be told and one that never listens.
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

// Grace, patience and some for a busy machine.
constexpr Duration longest_end = Duration::seconds(30);

class TerminatedProcess : public testing::Test {
 protected:
  void SetUp() override {
    Child child(Program::stubborn_library, scratch.path(), {.seed = 20260803});
    ASSERT_TRUE(child.ready()) << "the deaf handler was never given up";
    ASSERT_TRUE(child.works_for(Duration::millis(200)));
    SystemClock clock;
    const Instant asked = clock.now();
    ASSERT_EQ(child.terminate(longest_end, words), 0) << words;
    took = clock.now() - asked;
    const auto taken = evidence.take(1);
    ASSERT_TRUE(taken.ok()) << taken.error().message;
    heard = *taken;
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
  std::string words;
  Duration took;
  Heard heard;
  checker::Judgement judgement;
};

TEST_F(TerminatedProcess, AnswersEverythingLosesNothingAndEndsWithinItsGrace) {
  EXPECT_GT(heard.acknowledged, 0);
  EXPECT_EQ(heard.in_flight, 0) << "everything that was asked was answered before the end";
  EXPECT_TRUE(judgement.valid()) << checker::to_text(judgement);
  for (const checker::JobDump& dump : evidence.history().jobs) {
    EXPECT_NE(dump.job.state, State::running) << to_text(dump.job.id) << " " << dump.job.type;
  }
  // A second of grace and three of patience, for the deaf handler; the rest is a busy machine's.
  EXPECT_LT(took, Duration::seconds(15));
  // One handler never returned, and its job was somebody else's matter by then.
  EXPECT_NE(words.find("abandoned 1"), std::string::npos) << words;

  const checker::JobDump& patient = job_of(patient_type);
  EXPECT_EQ(patient.job.state, State::queued) << "given back, uncounted";
  EXPECT_EQ(patient.job.failures, 0);

  const checker::JobDump& deaf = job_of(deaf_type);
  EXPECT_EQ(deaf.job.state, State::dead);
  EXPECT_EQ(deaf.error.value_or(""), platform::timeout);
}

}  // namespace
}  // namespace longshore::crash
