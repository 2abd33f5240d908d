// Timeouts and limits.
#include <gtest/gtest.h>

#include "http/server.h"
#include "unit/http/raw_client.h"
#include "unit/http/test_server.h"

namespace longshore {
namespace {

constexpr Duration soon = Duration::millis(40);
// Where the client must be faster than the timeout, even on a busy machine.
constexpr Duration not_so_soon = Duration::millis(400);
void expect_timeout(HttpOptions options, std::string_view beginning) {
  SCOPED_TRACE(beginning);
  TestServer server(std::move(options));
  RawClient client(server.port());
  client.send(beginning);
  const auto response = client.receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 408);
  EXPECT_EQ(response->body, "REQUEST_TIMEOUT");
  EXPECT_EQ(response->header("connection"), "close");
  EXPECT_TRUE(client.at_end());
}

TEST(HttpLimits, EndHeadersThatTakeTooLong) {
  for (const std::string_view beginning :
       {"G", "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: h\r\n", "\r\n"}) {
    expect_timeout({.header_time = soon}, beginning);
  }
}

TEST(HttpLimits, EndBodiesThatTakeTooLong) {
  for (const std::string_view beginning :
       {"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhell",
        "POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"}) {
    expect_timeout({.body_time = soon}, beginning);
  }
}

// Each byte would be in time if it restarted the timeout.
TEST(HttpLimits, EndHeadersThatTrickle) {
  TestServer server({.header_time = Duration::millis(200)});
  TestServer pacemaker({.idle_time = Duration::millis(20)});
  RawClient client(server.port());
  int steps = 0;
  for (; steps < 100 && !client.has_input(); ++steps) {
    client.send("x");
    EXPECT_TRUE(RawClient(pacemaker.port()).at_end());
  }
  EXPECT_LT(steps, 100);
  EXPECT_EQ(client.receive()->status, 408);
}

TEST(HttpLimits, CloseIdleConnectionsWithoutAResponse) {
  TestServer server({.idle_time = not_so_soon});
  RawClient unused(server.port());
  EXPECT_TRUE(unused.at_end());
  RawClient used(server.port());
  used.send(good_request);
  EXPECT_TRUE(used.receive());
  EXPECT_TRUE(used.at_end());
}

TEST(HttpLimits, DoNotApplyToTheApplication) {
  Event<Exchange> arrived;
  TestServer server([&](Exchange exchange) { arrived.set(std::move(exchange)); },
                    {.header_time = not_so_soon,
                     .body_time = not_so_soon,
                     .idle_time = not_so_soon,
                     .write_time = not_so_soon,
                     .linger_time = not_so_soon});
  RawClient client(server.port());
  client.send(good_request);
  // Long enough for a later idle connection to be closed.
  RawClient idle(server.port());
  ASSERT_TRUE(idle.at_end());
  RawClient another(server.port());
  ASSERT_TRUE(another.at_end());
  ASSERT_TRUE(arrived.occurred());
  TestApplication::echo(arrived.get());
  EXPECT_TRUE(client.receive());
}

TEST(HttpLimits, RejectAConnectionBeyondTheMaximum) {
  TestServer server({.connections = 2});
  RawClient first(server.port());
  RawClient second(server.port());
  first.send(good_request);
  second.send(good_request);
  EXPECT_TRUE(first.receive());
  EXPECT_TRUE(second.receive());
  RawClient third(server.port());
  const auto response = third.receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->body, "OVERLOADED");
  EXPECT_TRUE(third.at_end());
  first.send(good_request);
  EXPECT_TRUE(first.receive());
}

TEST(HttpLimits, LetARejectedConnectionReadItsResponse) {
  TestServer server({.connections = 1});
  RawClient first(server.port());
  first.send(good_request);
  EXPECT_TRUE(first.receive());
  RawClient second(server.port());
  // More than the sockets buffer, so that sending succeeds only if the server reads it.
  EXPECT_TRUE(second.send(std::string(24 * 1024 * 1024, 'x')));
  const auto response = second.receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->body, "OVERLOADED");
  EXPECT_EQ(response->header("connection"), "close");
  EXPECT_TRUE(second.at_end());
  EXPECT_EQ(server.server.connections(), 1U) << "it does not count as a connection";
}

TEST(HttpLimits, RefuseLargeBodiesBeyondTheTotal) {
  Event<Exchange> arrived;
  TestServer server(
      [&](Exchange exchange) {
        if (exchange->request().target == "/keep") return arrived.set(std::move(exchange));
        exchange->answer(text(200, "ok"));
      },
      {.in_flight_bytes = 150'000});
  server.application.bytes_max = 1'000'000;
  const std::string large(100'000, 'x');
  const std::string head = " HTTP/1.1\r\nHost: h\r\nContent-Length: 100000\r\n\r\n";
  RawClient keeps(server.port());
  keeps.send("POST /keep" + head + large);
  ASSERT_TRUE(arrived.occurred());
  const Exchange exchange = arrived.get();

  RawClient announced(server.port());
  announced.send("POST /" + head);
  EXPECT_EQ(announced.receive()->body, "OVERLOADED");
  EXPECT_TRUE(announced.at_end());

  RawClient chunked(server.port());
  chunked.send("POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n186a0\r\n" + large);
  EXPECT_EQ(chunked.receive()->body, "OVERLOADED");

  RawClient small(server.port());
  small.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello");
  EXPECT_EQ(small.receive()->body, "ok");

  exchange->answer(text(200, "done"));
  EXPECT_EQ(keeps.receive()->body, "done");
  RawClient again(server.port());
  again.send("POST /" + head + large);
  EXPECT_EQ(again.receive()->body, "ok");
}

// Closing at once would discard the response before the client has read it.
TEST(HttpLimits, LetAClientReadWhyItsBodyIsRefused) {
  TestServer server;
  RawClient client(server.port());
  const std::string body(8'000'000, 'x');
  EXPECT_TRUE(client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 8000000\r\n\r\n"));
  EXPECT_TRUE(client.send(body)) << "the rest of the body was not read";
  const auto response = client.receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 413);
  EXPECT_TRUE(client.at_end());
}

TEST(HttpLimits, CloseTheConnectionOfAClientThatKeepsSending) {
  TestServer server({.linger_time = Duration::seconds(60), .linger_bytes = 100'000});
  RawClient client(server.port());
  client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 8000000\r\n\r\n");
  const std::string body(100'000, 'x');
  bool taken = true;
  for (int n = 0; n < 1000 && taken; ++n) taken = client.send(body);
  EXPECT_FALSE(taken);
}

}  // namespace
}  // namespace longshore
