#include "server/settings/listen_address.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

TEST(ListenAddress, IsParsedAndRecognizesLoopback) {
  const struct {
    const char* text;
    const char* host;
    int port;
    bool loopback;
  } cases[] = {
      {"127.0.0.1:7788", "127.0.0.1", 7788, true},
      {"127.1.2.3:0", "127.1.2.3", 0, true},
      {"localhost:80", "localhost", 80, true},
      {"[::1]:80", "::1", 80, true},
      {"0.0.0.0:80", "0.0.0.0", 80, false},
      {":80", "0.0.0.0", 80, false},
      {"[::]:80", "::", 80, false},
      {"10.0.0.1:80", "10.0.0.1", 80, false},
      {"jobs.example.org:80", "jobs.example.org", 80, false},
      {"[::ffff:127.0.0.1]:80", "::ffff:127.0.0.1", 80, false},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.text);
    const Result<ListenAddress> address = parse_listen_address(c.text);
    ASSERT_TRUE(address);
    EXPECT_EQ(address->host, c.host);
    EXPECT_EQ(address->port, c.port);
    EXPECT_EQ(address->is_loopback(), c.loopback);
  }
}

TEST(ListenAddress, RejectsOtherText) {
  for (const char* text : {"", "127.0.0.1", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:65536",
                           "127.0.0.1:-1", "::1:80", "[::1:80"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(parse_listen_address(text));
  }
}

}  // namespace
}  // namespace longshore
