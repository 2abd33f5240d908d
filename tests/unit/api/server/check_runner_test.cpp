#include "api/server/check_runner.h"

#include <gtest/gtest.h>

#include <future>

#include "deadline.h"
#include "longshore/testing.h"

namespace longshore {
namespace {

class CheckRunnerTest : public ::testing::Test {
 protected:
  testing::Harbour harbour;
  ManualTime time{Instant::millis(1000)};
  CheckRunner desk{harbour.longshore().catalog(), time};
};

TEST_F(CheckRunnerTest, ReportsToEveryCallThatJoined) {
  std::promise<CheckReport> first;
  desk.join([&](const CheckReport& report) { first.set_value(report); });
  std::future<CheckReport> report = first.get_future();
  ASSERT_TRUE(comes(report));
  EXPECT_TRUE(report.get().outcome->sound());
  ASSERT_TRUE(desk.last());
  EXPECT_EQ(desk.last()->began, Instant::millis(1000));
  EXPECT_FALSE(desk.under_way());
}

TEST_F(CheckRunnerTest, DoesNotCallBackCallsThatLeft) {
  desk.stop();
  desk.leave(desk.join([](const CheckReport&) {}));
  std::optional<Error> told;
  desk.join([&](const CheckReport& report) { told = report.outcome.error(); });
  ASSERT_TRUE(told) << "a stopped runner answers at once";
  EXPECT_EQ(told->code, Errc::unavailable);
}

}  // namespace
}  // namespace longshore
