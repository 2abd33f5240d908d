#include "client/delivery/push.h"

#include <gtest/gtest.h>

#include "client/delivery/replay.h"

namespace longshore {
namespace {

using Kind = Ending::Kind;

const Instant now = Instant::millis(784'111'777'000);  // Sun, 06 Nov 1994 08:49:37 GMT

TEST(Push, SettlesTheJobByTheResponse) {
  const struct {
    int status;
    std::string body;
    std::string retry_after;
    Kind kind;
    std::string text;  // the result, or the code
    std::optional<Duration> delay;
  } cases[] = {
      {200, "", "", Kind::ok, "null", {}},
      {200, " {\"a\": 1} ", "", Kind::ok, "{\"a\": 1}", {}},
      {201, "two words", "", Kind::ok, "\"two words\"", {}},
      {204, "", "", Kind::ok, "null", {}},
      {202, "ignored", "", Kind::hand_off, "", {}},
      {301, "", "", Kind::fatal, "HTTP_301", {}},
      {307, "", "5", Kind::fatal, "HTTP_307", {}},
      {400, "no", "", Kind::fatal, "HTTP_400", {}},
      {404, "", "5", Kind::fatal, "HTTP_404", {}},
      {408, "", "", Kind::fail, "HTTP_408", {}},
      {425, "", "0", Kind::retry, "HTTP_425", Duration()},
      {429, "", "7", Kind::retry, "HTTP_429", Duration::seconds(7)},
      {500, "", "", Kind::fail, "HTTP_500", {}},
      {503, "", "Sun, 06 Nov 1994 08:50:37 GMT", Kind::retry, "HTTP_503", Duration::minutes(1)},
      {503, "", "Sun, 06 Nov 1994 08:00:00 GMT", Kind::retry, "HTTP_503", Duration()},
      {503, "", "99999999999", Kind::retry, "HTTP_503", Duration::days(30)},
      {503, "", "soon", Kind::fail, "HTTP_503", {}},
      {503, "", "-1", Kind::fail, "HTTP_503", {}},
      {599, "", "", Kind::fail, "HTTP_599", {}},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(std::to_string(c.status) + " " + c.retry_after);
    HttpReply reply{.status = c.status, .body = c.body};
    if (!c.retry_after.empty()) reply.headers.emplace_back("retry-after", c.retry_after);
    const Ending ending = ending_of(reply, "example.com", now);
    EXPECT_EQ(ending.kind, c.kind);
    if (c.kind == Kind::ok) {
      EXPECT_EQ(ending.result, c.text);
    } else {
      EXPECT_EQ(ending.error.code, c.text);
    }
    EXPECT_EQ(ending.delay, c.delay);
  }
}

Result<Replayed> replayed(const std::string& request, const std::string& payload = "null") {
  const OutgoingUrl base = parse_outgoing_url("https://example.com/base/?x=1").value();
  return replay({.payload = payload, .request = request}, base);
}

TEST(Replay, SendsTheStoredRequestBelowTheBaseUrl) {
  const auto sent = replayed(
      R"({"method": "PUT", "path": "/reports/7%20a", "headers": {"X-A": ["1", "2"],
          "Content-Type": ["text/plain"]}, "routeParams": {"id": "7 a"},
          "queryParams": [{"name": "q", "values": ["a b", "&=é"]}]})",
      R"("as it was\n")");
  ASSERT_TRUE(sent);
  EXPECT_EQ(sent->target, "/base/reports/7%20a?q=a%20b&q=%26%3D%C3%A9");
  EXPECT_EQ(sent->call.method, "PUT");
  EXPECT_EQ(sent->call.body, "as it was\n");
  EXPECT_EQ(sent->call.headers.size(), 3u);
}

TEST(Replay, OmitsHeadersThatTheClientMustNotSet) {
  const auto sent = replayed(
      R"({"method": "POST", "path": "/x", "headers": {"Host": ["evil"], "Connection": ["x"],
          "Content-Length": ["1"], "Transfer-Encoding": ["chunked"], "Longshore-Fence": ["9"],
          "Webhook-Signature": ["v1,x"], "Idempotency-Key": ["k"], "Proxy-Authorization": ["p"],
          "Bad Name": ["x"], "Good": ["a\r\nInjected: yes", "fine"]}})",
      R"({"a": 1})");
  ASSERT_TRUE(sent);
  ASSERT_EQ(sent->call.headers.size(), 1u);
  EXPECT_EQ(sent->call.headers.front().second, "fine");
  EXPECT_EQ(sent->call.body, R"({"a": 1})");
}

TEST(Replay, RefusesAnInvalidRequest) {
  for (const char* bad :
       {R"([])", R"({})", R"({"method": "GET"})", R"({"method": "TRACE", "path": "/x"})",
        R"({"method": "GET /evil HTTP/1.1\r\nX: ", "path": "/x"})",
        R"({"method": "GET", "path": "x"})", R"({"method": "GET", "path": "/a/../../b"})",
        R"({"method": "GET", "path": "/a\r\nX: y"})", R"({"method": "GET", "path": "/%2e%2e/b"})",
        R"({"method": "GET", "path": "/a?b"})", R"({"method": "GET", "path": "@evil.org/"})"}) {
    EXPECT_FALSE(replayed(bad)) << bad;
  }
}

}  // namespace
}  // namespace longshore
