#include "api/wire/url.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;
using Texts = std::vector<std::string>;

TEST(Url, ParsesATarget) {
  const auto target = parse_target("/v1/types/a%20b/keys/c%2Fd?x=1&y=a+b%2B&&z&=w");
  ASSERT_TRUE(target.has_value());
  EXPECT_EQ(target->path, "/types/a%20b/keys/c%2Fd");
  EXPECT_EQ(target->segments, (Texts{"types", "a b", "keys", "c/d"}));
  EXPECT_EQ(target->query, (Pairs{{"x", "1"}, {"y", "a b+"}, {"z", ""}, {"", "w"}}));
}

TEST(Url, KeepsEmptySegments) {
  EXPECT_EQ(parse_target("/")->segments, Texts{""});
  EXPECT_EQ(parse_target("/ui/")->segments, (Texts{"ui", ""}));
  EXPECT_EQ(parse_target("/v1")->segments, Texts{"v1"});
  EXPECT_EQ(parse_target("/jobs?")->segments, Texts{"jobs"});
  EXPECT_EQ(parse_target("/a+b")->segments, Texts{"a+b"});
}

TEST(Url, RefusesInvalidPercentEncoding) {
  for (const char* target : {"/%", "/%4", "/%zz", "/a?%", "/a?b=%f", "/a?%=1"}) {
    SCOPED_TRACE(target);
    EXPECT_FALSE(parse_target(target).has_value());
  }
}

}  // namespace
}  // namespace longshore
