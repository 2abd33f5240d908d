#include "api/auth/client_address.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

HttpRequest request_from(std::string peer, std::vector<HttpHeader> headers) {
  HttpRequest request;
  request.peer = std::move(peer);
  request.headers = std::move(headers);
  return request;
}

TEST(TrustedProxies, AreReadFromTheEndOfTheList) {
  const TrustedProxies proxies = TrustedProxies::make({"10.0.0.0/8", "::1"}).value();
  struct Case {
    std::string name;
    std::string peer;
    std::vector<HttpHeader> headers;
    std::string client;
  };
  const Case cases[] = {
      {"no proxy", "192.0.2.1", {}, "192.0.2.1"},
      {"a stranger's word", "192.0.2.1", {{"X-Forwarded-For", "198.51.100.7"}}, "192.0.2.1"},
      {"one proxy", "10.1.1.1", {{"X-Forwarded-For", "198.51.100.7"}}, "198.51.100.7"},
      {"what the client itself sent",
       "10.1.1.1",
       {{"X-Forwarded-For", "203.0.113.9, 198.51.100.7"}},
       "198.51.100.7"},
      {"two proxies", "10.1.1.1", {{"x-forwarded-for", "198.51.100.7, 10.2.2.2"}}, "198.51.100.7"},
      {"two headers",
       "10.1.1.1",
       {{"X-Forwarded-For", "198.51.100.7"}, {"X-Forwarded-For", "10.2.2.2"}},
       "198.51.100.7"},
      {"with a port", "::1", {{"X-Forwarded-For", "[2001:db8::1]:99"}}, "2001:db8::1"},
      {"nonsense", "10.1.1.1", {{"X-Forwarded-For", "unknown"}}, "10.1.1.1"},
      {"nothing", "10.1.1.1", {}, "10.1.1.1"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    EXPECT_EQ(proxies.client_of(request_from(c.peer, c.headers)), c.client);
  }
}

TEST(TrustedProxies, TellWhetherTheClientUsesTls) {
  const TrustedProxies proxies = TrustedProxies::make({"10.0.0.0/8"}).value();
  const std::vector<HttpHeader> tls = {{"X-Forwarded-Proto", "HTTPS"}};
  EXPECT_TRUE(proxies.is_secure(request_from("10.1.1.1", tls)));
  EXPECT_FALSE(proxies.is_secure(request_from("192.0.2.1", tls)));
  EXPECT_FALSE(proxies.is_secure(request_from("10.1.1.1", {})));
  EXPECT_FALSE(TrustedProxies().is_secure(request_from("10.1.1.1", tls)));
}

TEST(TrustedProxies, AreAddressesAndNetworks) {
  for (const char* bad : {"", "example.com", "10.0.0.0/33", "10.0.0/8", "::/129", "/8"}) {
    const auto made = TrustedProxies::make({bad});
    ASSERT_FALSE(made.ok()) << bad;
    EXPECT_TRUE(made.error().message.contains("trusted-proxies")) << made.error().message;
  }
}

TEST(ThrottledAddress, IsTheNetworkOfAnIpv6Client) {
  EXPECT_EQ(throttled_address("192.0.2.1"), "192.0.2.1");
  EXPECT_NE(throttled_address("192.0.2.1"), throttled_address("192.0.2.2"));
  EXPECT_EQ(throttled_address("2001:db8::1"), throttled_address("2001:db8::ffff:1"));
  EXPECT_NE(throttled_address("2001:db8::1"), throttled_address("2001:db8:0:1::1"));
}

}  // namespace
}  // namespace longshore
