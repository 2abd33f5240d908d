#include "longshore/error.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <string_view>

namespace longshore {
namespace {

TEST(Errc, IsCalledTheSameInTextAsInCode) {
  const struct {
    Errc code;
    std::string_view text;
  } cases[] = {
      {Errc::unavailable, "unavailable"}, {Errc::overloaded, "overloaded"},
      {Errc::disk_full, "disk_full"},     {Errc::invalid, "invalid"},
      {Errc::not_found, "not_found"},     {Errc::refused, "refused"},
      {Errc::corrupt, "corrupt"},
  };
  std::set<std::string_view> texts;
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(to_text(c.code), c.text);
    texts.insert(to_text(c.code));
  }
  EXPECT_EQ(texts.size(), std::size(cases));
}

TEST(ErrcDeathTest, HasNoTextForAValueThatIsNoEnumerator) {
  EXPECT_EXIT((void)to_text(static_cast<Errc>(99)), testing::KilledBySignal(SIGABRT),
              "an Errc is one of its enumerators");
}

TEST(Result, HoldsTheValueOfACallThatWorked) {
  Result<std::string> result = std::string("done");
  ASSERT_TRUE(result.ok());
  EXPECT_TRUE(static_cast<bool>(result));
  EXPECT_EQ(*result, "done");
  EXPECT_EQ(result->size(), 4u);
}

TEST(Result, HoldsTheErrorOfACallThatFailed) {
  const Result<std::string> result = Error{.code = Errc::disk_full, .message = "no room"};
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error(), (Error{.code = Errc::disk_full, .message = "no room"}));
}

TEST(Result, GivesAwayAValueThatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(7);
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 7);
}

TEST(Result, TellsTheSuccessOfACallWithoutAValue) {
  const Result<Nothing> worked = Nothing{};
  const Result<Nothing> failed = Error{.code = Errc::invalid, .message = ""};
  EXPECT_TRUE(worked.ok());
  EXPECT_FALSE(failed.ok());
}

TEST(ResultDeathTest, AbortsWhenAFailureIsAskedForItsValue) {
  const Result<int> failed = Error{};
  EXPECT_EXIT((void)*failed, testing::KilledBySignal(SIGABRT), "");
}

TEST(ResultDeathTest, AbortsWhenASuccessIsAskedForItsError) {
  const Result<int> worked = 1;
  EXPECT_EXIT((void)worked.error(), testing::KilledBySignal(SIGABRT), "");
}

}  // namespace
}  // namespace longshore
