#include "client/server/server_address.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

TEST(ServerAddress, IsParsedFromAUrl) {
  const struct {
    const char* url;
    ServerAddress expected;
    const char* authority;
  } cases[] = {
      {"http://127.0.0.1:7788", {false, "127.0.0.1", "7788", ""}, "127.0.0.1:7788"},
      {"http://jobs.example.org", {false, "jobs.example.org", "80", ""}, "jobs.example.org"},
      {"https://jobs.example.org/", {true, "jobs.example.org", "443", ""}, "jobs.example.org"},
      {"https://[::1]:8443/base/", {true, "::1", "8443", "/base"}, "[::1]:8443"},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.url);
    const Result<ServerAddress> address = parse_server_url(c.url);
    ASSERT_TRUE(address);
    EXPECT_EQ(address->secure, c.expected.secure);
    EXPECT_EQ(address->host, c.expected.host);
    EXPECT_EQ(address->port, c.expected.port);
    EXPECT_EQ(address->base, c.expected.base);
    EXPECT_EQ(address->authority(), c.authority);
  }
}

TEST(ServerAddress, RefusesOtherText) {
  for (const char* url :
       {"", "127.0.0.1:7788", "ftp://x", "http://", "http://:80", "http://x:0", "http://x:65536",
        "http://x:port", "http://x:", "http://[::1", "http://[::1]x", "http://u:p@x/",
        "http://x/?a=b", "http://x y/", "http://x/\n"}) {
    SCOPED_TRACE(url);
    EXPECT_FALSE(parse_server_url(url));
  }
}

}  // namespace
}  // namespace longshore
