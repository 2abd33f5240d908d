#include "api/wire/router.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

using Texts = std::vector<std::string>;

class RouterTest : public ::testing::Test {
 protected:
  const std::vector<Route> routes = {
      {.method = "GET", .pattern = "/jobs/{jobId}"},
      {.method = "POST", .pattern = "/jobs/batch"},
      {.method = "GET", .pattern = "/jobs"},
      {.method = "POST", .pattern = "/jobs"},
      {.method = "GET", .pattern = "/ui/"},
      {.method = "GET", .pattern = "/ui/{file...}"},
      {.method = "POST", .pattern = "/types/{a}/keys/{b}/fail"},
  };
  const Router router{routes};
};

TEST_F(RouterTest, FindsTheMostSpecificRoute) {
  EXPECT_EQ(router.find("POST", {"jobs", "batch"}).route, &routes[1]);
  EXPECT_EQ(router.find("GET", {"jobs", "batch"}).route, nullptr);
  EXPECT_EQ(router.find("GET", {"jobs"}).route, &routes[2]);
  EXPECT_EQ(router.find("HEAD", {"jobs"}).route, &routes[2]);
}

TEST_F(RouterTest, ReturnsTheParameters) {
  EXPECT_EQ(router.find("GET", {"jobs", "x"}).parameters, Texts{"x"});
  EXPECT_EQ(router.find("POST", {"types", "t/u", "keys", "k", "fail"}).parameters,
            (Texts{"t/u", "k"}));
  EXPECT_EQ(router.find("GET", {"ui", "a", "b.js"}).parameters, Texts{"a/b.js"});
}

TEST_F(RouterTest, MatchesNoEmptySegmentAsAParameter) {
  EXPECT_EQ(router.find("GET", {"jobs", ""}).route, nullptr);
  EXPECT_EQ(router.find("GET", {"ui", ""}).route, &routes[4]);
  EXPECT_EQ(router.find("GET", {"ui"}).route, nullptr);
}

TEST_F(RouterTest, ReturnsTheAllowedMethods) {
  EXPECT_EQ(router.find("PUT", {"jobs"}).allow, "GET, HEAD, POST");
  EXPECT_EQ(router.find("HEAD", {"types", "a", "keys", "b", "fail"}).allow, "POST");
  EXPECT_EQ(router.find("GET", {"jobs", "batch"}).allow, "POST");
  EXPECT_EQ(router.find("PUT", {"ui", ""}).allow, "GET, HEAD");
  EXPECT_EQ(router.find("PUT", {"nope"}).allow, "");
}

TEST(ParameterNames, AreThoseInBraces) {
  EXPECT_EQ(parameter_names("/types/{a}/keys/{b}/fail"), (std::vector<std::string_view>{"a", "b"}));
  EXPECT_EQ(parameter_names("/ui/{file...}"), std::vector<std::string_view>{"file"});
}

}  // namespace
}  // namespace longshore
