#include <fmt/format.h>
#include <gtest/gtest.h>

#include "crash/kills.h"
#include "faults/scratch.h"

namespace longshore::crash {
namespace {

TEST(KilledProcess, LosesAndDoublesNothingItAcknowledged) {
  const faults::Scratch scratch;
  const Kills kills = kill_often(scratch.path(), 8, 20260801);
  ASSERT_EQ(kills.problem, "");
  EXPECT_GT(kills.acknowledged(), 0);
  EXPECT_GT(kills.in_flight(), 0) << "a kill that interrupts nothing proves nothing";
  EXPECT_TRUE(kills.judgement.valid()) << checker::to_text(kills.judgement);
}

}  // namespace
}  // namespace longshore::crash
