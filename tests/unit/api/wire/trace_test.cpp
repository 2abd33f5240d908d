#include "api/wire/trace.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

TEST(Trace, AcceptsOnlyValidContexts) {
  const std::string good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  EXPECT_TRUE(is_traceparent(good));
  EXPECT_TRUE(is_traceparent("cc" + good.substr(2) + "-more"));
  EXPECT_TRUE(is_traceparent("cc" + good.substr(2)));
  const std::vector<std::string> bad = {
      "",
      good.substr(1),
      good + "-more",
      "ff" + good.substr(2),
      "00-00000000000000000000000000000000-b7ad6b7169203331-01",
      "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
      "00-0AF7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "00_0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
      "cc" + good.substr(2) + "x",
  };
  for (const std::string& text : bad) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(is_traceparent(text));
  }
}

TEST(Trace, AcceptsRequestIdsThatCanBeLogged) {
  EXPECT_TRUE(is_sane_request_id("a-1_:/~"));
  EXPECT_TRUE(is_sane_request_id(std::string(128, 'x')));
  for (const std::string& id : {std::string(), std::string(129, 'x'), std::string("a b"),
                                std::string("a\n"), std::string("\x7f"), std::string("\xc3\xbc")}) {
    EXPECT_FALSE(is_sane_request_id(id));
  }
}

}  // namespace
}  // namespace longshore
