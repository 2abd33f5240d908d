// Runs the cases of hostile.txt over real connections.
#include <gtest/gtest.h>

#include "http/parse/characters.h"
#include "unit/http/hostile_cases.h"
#include "unit/http/raw_client.h"
#include "unit/http/test_server.h"

namespace longshore {
namespace {

constexpr std::string_view request_after = "GET /after HTTP/1.1\r\nHost: h\r\n\r\n";

void expect_answers(const HostileCase& expected, RawClient& client) {
  auto seen = expected.seen.begin();
  for (const HostileCase::Answer& answer : expected.answers) {
    const std::optional<RawResponse> response = client.receive();
    ASSERT_TRUE(response) << "no answer, instead of " << answer.status;
    ASSERT_EQ(response->status, answer.status) << response->body;
    if (!answer.code.empty()) {
      EXPECT_EQ(response->body, answer.code);
      EXPECT_EQ(response->header("connection"), "close");
    }
    if (answer.status == 200 && seen != expected.seen.end()) {
      EXPECT_EQ(wire::trimmed(response->body), wire::trimmed(*seen++));
    }
  }
  EXPECT_TRUE(seen == expected.seen.end()) << "not everything was seen";
}

void expect_connection(const HostileCase& expected, RawClient& client) {
  if (expected.closed) {
    EXPECT_TRUE(client.at_end()) << "something came after the last answer";
    return;
  }
  EXPECT_TRUE(client.send(request_after));
  const std::optional<RawResponse> response = client.receive();
  ASSERT_TRUE(response) << "the connection was closed";
  EXPECT_EQ(response->body, "GET /after ");
}

TEST(HttpHostile, RequestsGetTheListedResponses) {
  TestServer server;
  const std::vector<HostileCase> cases = read_hostile_cases("tests/unit/http/hostile.txt");
  EXPECT_GE(cases.size(), 240u);
  for (const HostileCase& hostile : cases) {
    SCOPED_TRACE(hostile.title);
    RawClient client(server.port());
    // The server may close before everything is sent.
    client.send(hostile.bytes);
    if (hostile.ends) client.end_sending();
    expect_answers(hostile, client);
    if (!HasFatalFailure()) expect_connection(hostile, client);
  }
}

}  // namespace
}  // namespace longshore
