#include "api/auth/gate.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

TEST(Loopback, AcceptsLoopbackHostNames) {
  for (const char* host : {"localhost", "LOCALHOST:7788", "127.0.0.1", "127.0.0.1:80", "127.8.9.1",
                           "[::1]", "[::1]:7788", "a.localhost", "localhost."}) {
    SCOPED_TRACE(host);
    EXPECT_TRUE(is_loopback_host(host));
  }
}

TEST(Loopback, RefusesOtherHostNames) {
  for (const char* host :
       {"", "evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1",
        "127.0.0", "127.0.0.256", "127.0.0.1.5", "1270.0.0.1", "[::2]", "[::1", "localhost:x",
        "localhost:80:80", "127.1", "0.0.0.0", "notlocalhost", "[::1]x"}) {
    SCOPED_TRACE(host);
    EXPECT_FALSE(is_loopback_host(host));
  }
}

TEST(Loopback, AcceptsOnlyItsOwnPages) {
  struct Case {
    const char* origin;
    const char* host;
    bool secure;
    bool own;
  };
  const std::vector<Case> cases = {
      {"http://localhost:7788", "localhost:7788", false, true},
      {"http://127.0.0.1:7788", "localhost:7788", false, true},
      {"http://localhost", "127.0.0.1:80", false, true},
      {"https://localhost", "localhost:443", true, true},
      {"http://localhost:3000", "localhost:7788", false, false},
      {"https://localhost:7788", "localhost:7788", false, false},
      {"http://evil.example:7788", "localhost:7788", false, false},
      {"null", "localhost:7788", false, false},
      {"file://", "localhost:7788", false, false},
  };
  for (const Case& one : cases) {
    SCOPED_TRACE(one.origin);
    EXPECT_EQ(is_own_origin(one.origin, one.host, one.secure), one.own);
  }
}

TEST(Origin, MatchesItsHostAndPort) {
  const struct {
    const char* origin;
    const char* host;
    bool secure;
    bool same;
  } cases[] = {
      {"http://jobs.example", "jobs.example", false, true},
      {"http://jobs.example", "JOBS.example:80", false, true},
      {"https://jobs.example", "jobs.example", true, true},
      {"https://jobs.example", "jobs.example", false, true},  // a proxy terminates TLS
      {"https://jobs.example:8443", "jobs.example:8443", true, true},
      {"http://jobs.example", "jobs.example", true, false},
      {"http://jobs.example:81", "jobs.example", false, false},
      {"http://evil.example", "jobs.example", false, false},
      {"http://jobs.example.evil.example", "jobs.example", false, false},
      {"null", "jobs.example", false, false},
      {"", "jobs.example", false, false},
      {"http://", "", false, false},
  };
  for (const auto& c : cases) {
    EXPECT_EQ(is_origin_of_host(c.origin, c.host, c.secure), c.same) << c.origin << " " << c.host;
  }
}

TEST(Origin, IsDerivedFromAUrl) {
  EXPECT_EQ(origin_of("https://Jobs.example/base/"), "https://jobs.example");
  EXPECT_EQ(origin_of("http://jobs.example:81"), "http://jobs.example:81");
  EXPECT_EQ(origin_of("ftp://jobs.example"), "");
  EXPECT_EQ(origin_of(""), "");
}

}  // namespace
}  // namespace longshore
