#include "client/http/outgoing_url.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace longshore {
namespace {

struct Row {
  std::string verdict, url, resolves_to;
};

std::vector<Row> rows() {
  std::ifstream file("tests/unit/client/urls.txt");
  std::vector<Row> all;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    const std::size_t space = line.find(' ');
    const std::size_t arrow = line.find(" -> ");
    Row row{.verdict = line.substr(0, space), .url = line.substr(space + 1, arrow - space - 1)};
    if (arrow != std::string::npos) row.resolves_to = line.substr(arrow + 4);
    all.push_back(std::move(row));
  }
  return all;
}

bool lets_through(const UrlGuard& guard, const Row& row) {
  const Result<OutgoingUrl> url = parse_outgoing_url(row.url);
  if (!url || guard.fault(*url)) return false;
  return row.resolves_to.empty() || !guard.fault(*url, *parse_ip(row.resolves_to));
}

TEST(UrlGuard, AllowsAndRefusesTheListedUrls) {
  const UrlGuard strict = UrlGuard::make({}).value();
  const UrlGuard lenient =
      UrlGuard::make({"localhost", "10.7.0.0/16", "fd12::/16", "192.168.5.5", "reports.internal"})
          .value();
  const std::vector<Row> all = rows();
  EXPECT_GE(all.size(), 150u);
  for (const Row& row : all) {
    SCOPED_TRACE(row.verdict + " " + row.url + " -> " + row.resolves_to);
    EXPECT_EQ(lets_through(strict, row), row.verdict == "allowed");
    EXPECT_EQ(lets_through(lenient, row), row.verdict != "refused");
  }
}

TEST(UrlGuard, AcceptsOnlyHostsAddressesAndNetworks) {
  for (const char* bad : {"", "10.0.0.0/33", "10.0.0.0/", "10.0.0/8", "::/129", "a b", "x/8"}) {
    SCOPED_TRACE(bad);
    EXPECT_FALSE(UrlGuard::make({bad}));
  }
}

TEST(OutgoingUrl, IsParsedIntoItsParts) {
  const OutgoingUrl url = parse_outgoing_url("https://Example.com:8443/a?b=c#d").value();
  EXPECT_TRUE(url.secure);
  EXPECT_EQ(url.host, "example.com");
  EXPECT_EQ(url.port, 8443);
  EXPECT_EQ(url.target, "/a?b=c");
  EXPECT_EQ(url.authority(), "example.com:8443");
  EXPECT_EQ(parse_outgoing_url("http://[2606::1]/").value().authority(), "[2606::1]");
}

TEST(OutgoingUrl, HasATargetWithoutDotSegments) {
  for (const char* good : {"/", "/a/b?c=/../d", "/a..b/...", "/%2f"}) {
    EXPECT_TRUE(is_plain_target(good)) << good;
  }
  for (const char* bad : {"", "a", "/a/../b", "/..", "/%2e%2E/x", "/./x", "/a b", "/a\r\nb", "/a#b",
                          "/a\\b", "/.%2e/x"}) {
    EXPECT_FALSE(is_plain_target(bad)) << bad;
  }
}

}  // namespace
}  // namespace longshore
