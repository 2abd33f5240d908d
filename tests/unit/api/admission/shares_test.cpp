#include "api/admission/shares.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

class SharesTest : public ::testing::Test {
 protected:
  // How many streams this caller gets, one by one; it holds them.
  int take_all(const std::string& ns, const std::string& token) {
    int taken = 0;
    while (take(ns, token)) taken += 1;
    return taken;
  }
  bool take(const std::string& ns, const std::string& token) {
    auto answer = shares.take({.ns = ns, .token = token}, {{Limit::streams, 1}});
    if (std::holds_alternative<Problem>(answer)) return false;
    holds.push_back(std::get<Shares::HoldRef>(std::move(answer)));
    return true;
  }

  Shares shares{{.bytes = 1000, .streams = 100, .share = 0.75}};
  std::vector<Shares::HoldRef> holds;  // released before the shares are destroyed
};

TEST_F(SharesTest, GiveATokenAShareOfItsNamespacesShare) {
  EXPECT_EQ(take_all("a", "t"), 56);
  EXPECT_EQ(take_all("a", "u"), 14) << "three quarters of what the first token left";
  EXPECT_EQ(take_all("b", "v"), 16) << "a namespace with one token: nine sixteenths of 30";
  EXPECT_TRUE(take("c", "w")) << "the next namespace finds room";
}

TEST_F(SharesTest, AreReleasedWithTheHold) {
  EXPECT_EQ(take_all("a", "t"), 56);
  holds.pop_back();
  EXPECT_EQ(take_all("a", "t"), 1);
  holds.clear();
  EXPECT_EQ(shares.held(Limit::streams), 0U);
}

TEST_F(SharesTest, DoNotLimitCallersWithoutAToken) { EXPECT_EQ(take_all("default", ""), 100); }

TEST_F(SharesTest, TakeNothingAndNameTheLimitWhenOneIsReached) {
  take_all("a", "t");
  const auto refused =
      shares.take({.ns = "a", .token = "t"}, {{Limit::bytes, 10}, {Limit::streams, 1}});
  ASSERT_TRUE(std::holds_alternative<Problem>(refused));
  const Problem& problem = std::get<Problem>(refused);
  EXPECT_EQ(problem.code, Code::overloaded);
  EXPECT_TRUE(problem.detail.starts_with("limits.streams: ")) << problem.detail;
  EXPECT_EQ(problem.retry_after, 5);
  EXPECT_EQ(shares.held(Limit::bytes), 0U);
}

TEST_F(SharesTest, AdmitARequestLargerThanItsShareWhenItIsAlone) {
  const auto large = shares.take({.ns = "a", .token = "t"}, {{Limit::bytes, 900}});
  EXPECT_TRUE(std::holds_alternative<Shares::HoldRef>(large));
  const auto second = shares.take({.ns = "a", .token = "t"}, {{Limit::bytes, 1}});
  EXPECT_TRUE(std::holds_alternative<Problem>(second));
}

TEST_F(SharesTest, CountRequestsThatAreNeverRefused) {
  const auto hold = shares.count({.ns = "a", .token = "t"}, {{Limit::streams, 200}});
  EXPECT_EQ(shares.held(Limit::streams), 200U);
  EXPECT_FALSE(take("b", "u"));
}

}  // namespace
}  // namespace longshore
