#include <fmt/format.h>
#include <gtest/gtest.h>

#include "crash/kills.h"
#include "faults/scratch.h"

namespace longshore::crash {
namespace {

struct Case {
  const char* name;
  KillPlan plan;
};

class KilledProcess : public testing::TestWithParam<Case> {};

TEST_P(KilledProcess, LosesAndDuplicatesNothingItAcknowledged) {
  const faults::Scratch scratch;
  const Kills kills = kill_often(scratch.path(), GetParam().plan);
  ASSERT_EQ(kills.problem, "");
  EXPECT_EQ(kills.under_load(), GetParam().plan.kills);
  EXPECT_TRUE(kills.judgement.valid()) << checker::to_text(kills.judgement);
}

INSTANTIATE_TEST_SUITE_P(, KilledProcess,
                         testing::Values(Case{"OnTheStore", {Program::store, 8, 20260801}},
                                         Case{"OnTheLibrary", {Program::library, 8, 20260802}}),
                         [](const auto& chosen) { return chosen.param.name; });

}  // namespace
}  // namespace longshore::crash
