// Starting, draining and stopping a server.
#include <gtest/gtest.h>

#include <thread>

#include "http/server.h"
#include "unit/http/raw_client.h"
#include "unit/http/test_server.h"

namespace longshore {
namespace {

constexpr Duration long_enough = Duration::seconds(10);

TEST(HttpLifecycle, MayStopBeforeItStartsAndTwice) {
  TestApplication application;
  {
    HttpServer server(application, {});
    server.stop();
    server.stop();
  }
  {
    HttpServer server(application, {});
    ASSERT_TRUE(server.listen());
    server.stop_accepting();
    EXPECT_TRUE(server.drain(long_enough));
    server.stop();
  }
  {
    HttpServer server(application, {});
    ASSERT_TRUE(server.listen());
    server.start(2);
    server.stop();
    server.stop_accepting();
    EXPECT_TRUE(server.drain(long_enough));
    server.stop();
  }
}

TEST(HttpLifecycle, AnswersClientsThatConnectedBeforeTheStart) {
  TestApplication application;
  HttpServer server(application, {});
  const auto port = server.listen();
  ASSERT_TRUE(port);
  RawClient client(*port);
  client.send(good_request);
  server.start(1);
  EXPECT_TRUE(client.receive());
}

TEST(HttpLifecycle, RefusesNewConnectionsAfterStopAccepting) {
  TestServer server;
  RawClient before(server.port());
  before.send(good_request);
  EXPECT_TRUE(before.receive());
  server.server.stop_accepting();
  RawClient after(server.port());
  EXPECT_FALSE(after.send(good_request));
  before.send(good_request);
  const auto response = before.receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->header("connection"), "");
}

TEST(HttpLifecycle, DrainAnswersRequestsInFlight) {
  Event<Exchange> arrived;
  TestServer server([&](Exchange exchange) {
    if (exchange->request().target == "/wait") return arrived.set(std::move(exchange));
    TestApplication::echo(exchange);
  });
  RawClient idle(server.port());
  idle.send(good_request);
  ASSERT_TRUE(idle.receive());
  RawClient waiting(server.port());
  waiting.send("GET /wait HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(arrived.occurred());
  RawClient half(server.port());
  half.send("POST /half HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
  ASSERT_EQ(half.receive_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  EXPECT_FALSE(server.server.drain(Duration::millis(1)));
  EXPECT_TRUE(idle.at_end());

  half.send("hello");
  EXPECT_EQ(half.receive()->body, "POST /half hello");
  EXPECT_TRUE(half.at_end());
  TestApplication::echo(arrived.get());
  const auto answered = waiting.receive();
  ASSERT_TRUE(answered);
  EXPECT_EQ(answered->body, "GET /wait ");
  EXPECT_EQ(answered->header("connection"), "close");
  EXPECT_TRUE(waiting.at_end());
  EXPECT_TRUE(server.server.drain(long_enough));
  EXPECT_EQ(server.server.connections(), 0u);
}

TEST(HttpLifecycle, DrainClosesConnectionsWithPipelinedRequests) {
  Event<Exchange> arrived;
  TestServer server([&](Exchange exchange) { arrived.set(std::move(exchange)); });
  RawClient client(server.port());
  client.send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\nGET /2 HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(arrived.occurred());
  EXPECT_FALSE(server.server.drain(Duration::millis(1)));
  TestApplication::echo(arrived.get());
  EXPECT_EQ(client.receive()->header("connection"), "close");
  EXPECT_TRUE(client.at_end());
}

TEST(HttpLifecycle, StopsAtOnceWithRequestsInFlight) {
  std::vector<Exchange> kept;
  Event<bool> arrived;
  TestServer server(
      [&](Exchange exchange) {
        kept.push_back(std::move(exchange));
        if (kept.size() == 50) arrived.set(true);
      },
      {}, 1);
  std::vector<RawClient> clients;
  for (int n = 0; n < 50; ++n) clients.emplace_back(server.port()).send(good_request);
  ASSERT_TRUE(arrived.occurred());
  server.server.stop();
  for (RawClient& client : clients) EXPECT_TRUE(client.at_end());
  EXPECT_EQ(server.server.connections(), 0u);
}

TEST(HttpLifecycle, StopsWhileManyClientsSend) {
  for (int round = 0; round < 10; ++round) {
    TestServer server([](Exchange exchange) {
      std::thread([exchange = std::move(exchange)] { TestApplication::echo(exchange); }).detach();
    });
    std::vector<std::thread> clients;
    for (int n = 0; n < 4; ++n) {
      clients.emplace_back([&] {
        RawClient client(server.port());
        while (client.send(good_request) && client.receive()) {
        }
      });
    }
    RawClient first(server.port());
    first.send(good_request);
    first.receive();
    server.server.stop();
    for (std::thread& client : clients) client.join();
  }
}

}  // namespace
}  // namespace longshore
