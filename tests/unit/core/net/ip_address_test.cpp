#include "core/net/ip_address.h"

#include <gtest/gtest.h>

#include <string_view>

namespace longshore {
namespace {

TEST(IpAddress, IsReadInItsUsualSpellings) {
  IpAddress one;
  one.bytes[15] = 1;
  EXPECT_EQ(parse_ip("::1"), one);
  EXPECT_EQ(parse_ip("0:0:0:0:0:0:0:1"), one);
  EXPECT_EQ(parse_ip("::0.0.0.1"), one);
  EXPECT_EQ(parse_ip("10.0.0.255"), parse_ip("::ffff:10.0.0.255"));
  EXPECT_EQ(parse_ip("10.0.0.255"), parse_ip("::FFFF:a00:ff"));
  EXPECT_EQ(parse_ip("2001:db8::8:800:200c:417a"), parse_ip("2001:DB8:0:0:8:800:200C:417A"));
  EXPECT_EQ(parse_ip("1::"), parse_ip("1:0:0:0:0:0:0:0"));
  EXPECT_TRUE(parse_ip("::"));
}

TEST(IpAddress, IsNothingElse) {
  for (const std::string_view bad : {"",
                                     "1",
                                     "1.2.3",
                                     "1.2.3.4.5",
                                     "1.2.3.256",
                                     "01.2.3.4",
                                     "1.2.3.04",
                                     "1..2.3",
                                     "1.2.3.",
                                     ".1.2.3",
                                     " 1.2.3.4",
                                     "0x1.2.3.4",
                                     "1.2.3.4a",
                                     ":",
                                     ":::",
                                     "1:2",
                                     "1:2:3:4:5:6:7:8:9",
                                     "1:2:3:4:5:6:7",
                                     "::1::",
                                     "1:2:3:4:5:6:7:8::",
                                     "12345::",
                                     "g::",
                                     "::1.2.3",
                                     "::1%eth0",
                                     "[::1]",
                                     "1.2.3.4::",
                                     "1:",
                                     ":1",
                                     "1:2:3:4:5:6:7:1.2.3.4"}) {
    EXPECT_FALSE(parse_ip(bad)) << bad;
  }
}

TEST(IpNetwork, HoldsWhatBeginsWithItsBits) {
  const IpNetwork ten = parse_network("10.0.0.0/8").value();
  EXPECT_TRUE(ten.contains(parse_ip("10.255.0.1").value()));
  EXPECT_FALSE(ten.contains(parse_ip("11.0.0.1").value()));
  const IpNetwork odd = parse_network("2001:db8::/33").value();
  EXPECT_TRUE(odd.contains(parse_ip("2001:db8:7fff::1").value()));
  EXPECT_FALSE(odd.contains(parse_ip("2001:db8:8000::1").value()));
  EXPECT_TRUE(parse_network("0.0.0.0/0")->contains(parse_ip("1.2.3.4").value()));
  EXPECT_FALSE(parse_network("0.0.0.0/0")->contains(parse_ip("::1").value()));
  EXPECT_FALSE(parse_network("192.0.2.1")->contains(parse_ip("192.0.2.2").value()));
}

}  // namespace
}  // namespace longshore
