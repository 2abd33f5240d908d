#include "core/net/secret_bindings.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

SecretBindings bound_to(std::vector<std::string> urls) {
  SecretBindings bindings;
  EXPECT_TRUE(bindings.add("billing", {.ns = "shop", .urls = std::move(urls)}));
  return bindings;
}

bool may_sign(const SecretBindings& bindings, const std::string& url) {
  return !bindings.fault("shop", {.url = url, .secret_name = "billing"});
}

TEST(SecretBindings, CoverWhatIsBelowAPrefix) {
  const SecretBindings bindings = bound_to({"https://a.example/x", "http://[::1]:8080/dir/"});
  for (const char* url :
       {"https://a.example/x", "https://a.example/x/", "https://a.example/x/y?q=/../z",
        "https://a.example/x?y", "HTTPS://A.EXAMPLE:443/x/y#z", "https://a.example/%78/y",
        "https://a.example/x/...", "https://a.example/x/y%20z", "http://[::1]:8080/dir/",
        "http://[::1]:8080/dir/y"}) {
    EXPECT_TRUE(may_sign(bindings, url)) << url;
  }
}

TEST(SecretBindings, DoNotCoverWhatOnlyLooksLikeIt) {
  const SecretBindings bindings = bound_to({"https://a.example/x", "http://[::1]:8080/dir/"});
  for (const char* url :
       {"https://a.example.evil/x", "https://a.example@evil/x", "https://a.example:444/x",
        "http://a.example/x", "https://b.a.example/x", "https://a.example./x", "https://a.example/",
        "https://a.example/xy", "https://a.example/X", "https://a.example/y",
        "https://a.example//x", "http://[::1]:8080/dir", "http://[::1]/dir/", "not a url", ""}) {
    EXPECT_FALSE(may_sign(bindings, url)) << url;
  }
}

TEST(SecretBindings, DoNotCoverAPathWithDotSegments) {
  const SecretBindings bindings = bound_to({"https://a.example/x"});
  for (const char* path :
       {"/x/../y", "/x/..", "/x/./y", "/x/%2e%2e/y", "/x/.%2E/y", "/x/%252e%252e/y",
        "/x/%25252e./y", "/x/..%2fy", "/x%2f..%2fy", "/x/..%5cy", "/x/..\\y", "/x/..;/y",
        "/x/..;a=b/y", "/x/%2e%2e%3b/y", "/x/%00"}) {
    EXPECT_FALSE(may_sign(bindings, std::string("https://a.example") + path)) << path;
  }
}

TEST(SecretBindings, AnswerForAnotherNamespaceAsForNoSecretAtAll) {
  const SecretBindings bindings = bound_to({"https://a.example/"});
  const auto others =
      bindings.fault("bank", {.url = "https://a.example/", .secret_name = "billing"});
  const auto nobodys = bindings.fault("bank", {.url = "https://a.example/", .secret_name = "no"});
  ASSERT_TRUE(others && nobodys);
  EXPECT_EQ(others->field, "callback.secretName");
  EXPECT_EQ(others->detail, nobodys->detail);
  const auto outside =
      bindings.fault("shop", {.url = "https://b.example/", .secret_name = "billing"});
  ASSERT_TRUE(outside);
  EXPECT_EQ(outside->field, "callback.url");
  EXPECT_FALSE(bindings.fault("bank", {.url = "https://b.example/"})) << "nothing is signed";
}

TEST(SecretBindings, RefuseInvalidBindings) {
  SecretBindings bindings;
  for (const SecretBinding& bad : std::vector<SecretBinding>{
           {.ns = "shop", .urls = {}},
           {.ns = "", .urls = {"https://a.example/"}},
           {.ns = "a b", .urls = {"https://a.example/"}},
           {.ns = "shop", .urls = {"https:"}},
           {.ns = "shop", .urls = {"ftp://a.example/"}},
           {.ns = "shop", .urls = {"https://a.example/?x"}},
           {.ns = "shop", .urls = {"https://a.example/x/../y"}},
       }) {
    EXPECT_FALSE(bindings.add("s", bad));
  }
  EXPECT_FALSE(bindings.add("a name", {.ns = "shop", .urls = {"https://a.example"}}));
  EXPECT_TRUE(bindings.add("s", {.ns = "shop", .urls = {"https://a.example"}}));
  EXPECT_FALSE(bindings.add("s", {.ns = "bank", .urls = {"https://a.example"}})) << "taken";
}

}  // namespace
}  // namespace longshore
