#include "http/server.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <thread>

#include "core/sync/mutex.h"
#include "unit/http/raw_client.h"
#include "unit/http/test_server.h"

namespace longshore {
namespace {

std::string get(std::string_view target, std::string_view headers = "") {
  return "GET " + std::string(target) + " HTTP/1.1\r\nHost: h\r\n" + std::string(headers) + "\r\n";
}

// Answers each request from a new thread.
void echo_elsewhere(Exchange exchange) {
  std::thread([exchange = std::move(exchange)] { TestApplication::echo(exchange); }).detach();
}

TEST(HttpServer, AnswersFromAnyThread) {
  TestServer server(echo_elsewhere);
  RawClient client(server.port());
  for (int n = 0; n < 100; ++n) {
    client.send(get("/" + std::to_string(n)));
    const auto response = client.receive();
    ASSERT_TRUE(response);
    EXPECT_EQ(response->body, "GET /" + std::to_string(n) + " ");
  }
}

TEST(HttpServer, AnswersPipelinedRequestsInTheirOrder) {
  for (const auto& handler : {TestApplication::echo, echo_elsewhere}) {
    TestServer server(handler);
    RawClient client(server.port());
    std::string requests;
    for (int n = 0; n < 1000; ++n) requests += get("/" + std::to_string(n));
    std::thread sender([&] { client.send(requests); });
    for (int n = 0; n < 1000; ++n) {
      const auto response = client.receive();
      ASSERT_TRUE(response);
      ASSERT_EQ(response->body, "GET /" + std::to_string(n) + " ");
    }
    sender.join();
  }
}

// RFC 9112, 9.3.2: unsafe requests must not run in parallel with earlier ones.
TEST(HttpServer, DispatchesARequestAfterTheOneBeforeIsAnswered) {
  std::vector<Exchange> waiting;
  Event<bool> first;
  TestServer server(
      [&](Exchange exchange) {
        if (exchange->request().target == "/1") {
          waiting.push_back(std::move(exchange));
          first.set(true);
        } else {
          EXPECT_TRUE(waiting.empty());
          TestApplication::echo(exchange);
        }
      },
      {}, 1);
  RawClient client(server.port());
  client.send(get("/1") + get("/2"));
  ASSERT_TRUE(first.occurred());
  const Exchange exchange = std::move(waiting.back());
  waiting.clear();
  TestApplication::echo(exchange);
  EXPECT_EQ(client.receive()->body, "GET /1 ");
  EXPECT_EQ(client.receive()->body, "GET /2 ");
}

TEST(HttpServer, AnswersHeadAsGetWithoutTheBody) {
  TestServer server;
  RawClient client(server.port());
  client.send("HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n" + get("/b"));
  const auto head = client.receive(true);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 200);
  EXPECT_EQ(head->header("content-length"), "7");
  EXPECT_EQ(client.receive()->body, "GET /b ");
}

TEST(HttpServer, GivesTheApplicationTheAddressOfTheClient) {
  TestServer server([](Exchange exchange) {
    const HttpRequest& request = exchange->request();
    exchange->answer(text(200, request.peer + (request.secure ? " secure " : " plain ") +
                                   std::string(request.header("x-color"))));
  });
  RawClient client(server.port());
  client.send(get("/", "X-Color: blue\r\n"));
  EXPECT_EQ(client.receive()->body, "127.0.0.1 plain blue");
}

TEST(HttpServer, SendsTheHeadersOfTheResponseAndItsOwn) {
  TestServer server([](Exchange exchange) {
    HttpResponse response = text(202, "{}");
    response.content_type = "application/json";
    response.headers = {{"Location", "/jobs/1"}, {"X-Injected", "a\r\nX-Evil: b"}};
    exchange->answer(std::move(response));
  });
  RawClient client(server.port());
  client.send(get("/"));
  const auto response = client.receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 202);
  EXPECT_EQ(response->header("content-type"), "application/json");
  EXPECT_EQ(response->header("location"), "/jobs/1");
  EXPECT_EQ(response->header("x-injected"), "a  X-Evil: b");
  EXPECT_EQ(response->header("x-evil"), "");
  EXPECT_EQ(response->header("date").size(), std::string("Sun, 06 Nov 1994 08:49:37 GMT").size());
}

TEST(HttpServer, OmitsTheBodyWhereHttpForbidsOne) {
  const std::map<std::string, HttpResponse> answers = {
      {"/204", {.status = 204, .content_type = ""}},
      {"/304", {.status = 304, .content_type = ""}},
      {"/200", {.status = 200, .content_type = ""}},
      {"/304-with-body", {.status = 304, .content_type = "text/plain", .body = "oops"}}};
  TestServer server(
      [&](Exchange exchange) { exchange->answer(answers.at(exchange->request().target)); });
  RawClient client(server.port());
  for (const auto& [target, answer] : answers) {
    SCOPED_TRACE(target);
    client.send(get(target));
    const auto response = client.receive();
    ASSERT_TRUE(response);
    EXPECT_EQ(response->status, answer.status);
    EXPECT_EQ(response->body, "");
    EXPECT_EQ(response->header("content-length"), answer.status == 200 ? "0" : "");
    EXPECT_EQ(response->header("content-type"), "");
  }
}

TEST(HttpServer, SendsLargeResponses) {
  const std::string large(20 * 1024 * 1024, 'x');
  TestServer server([&](Exchange exchange) { exchange->answer(text(200, large)); });
  RawClient client(server.port());
  client.send(get("/1") + get("/2"));
  EXPECT_TRUE(client.receive()->body == large);
  EXPECT_TRUE(client.receive()->body == large);
}

TEST(HttpServer, ReceivesLargeBodies) {
  TestServer server([](Exchange exchange) { exchange->answer(text(200, exchange->take_body())); });
  server.application.bytes_max = 4 * 1024 * 1024;
  std::string large;
  for (int n = 0; large.size() < server.application.bytes_max; ++n) large += std::to_string(n);
  large.resize(server.application.bytes_max);
  RawClient client(server.port());
  std::thread sender([&] {
    client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4194304\r\n\r\n");
    client.send(large);
  });
  const auto response = client.receive();
  sender.join();
  ASSERT_TRUE(response);
  EXPECT_TRUE(response->body == large);
}

TEST(HttpServer, Sends100ContinueForAnExpectedBody) {
  TestServer server;
  RawClient client(server.port());
  client.send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-Continue\r\n\r\n");
  EXPECT_EQ(client.receive_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("hello");
  EXPECT_EQ(client.receive()->body, "POST /a hello");
}

TEST(HttpServer, DoesNotSend100ContinueForABodyThatHasArrived) {
  TestServer server;
  RawClient client(server.port());
  client.send(
      "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\nhello");
  EXPECT_EQ(client.receive()->body, "POST /a hello");
}

TEST(HttpServer, Answers500ForAnExchangeThatIsDropped) {
  TestServer server([](const Exchange&) {});
  RawClient client(server.port());
  client.send(get("/"));
  const auto response = client.receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->status, 500);
  EXPECT_EQ(response->body, "INTERNAL");
  client.send(get("/again"));
  EXPECT_EQ(client.receive()->status, 500);
}

TEST(HttpServer, ReportsThatAResponseWasWritten) {
  Event<bool> written;
  TestServer server([&](Exchange exchange) {
    exchange->answer(text(200, "ok"), [&](bool whole) { written.set(whole); });
  });
  RawClient client(server.port());
  client.send(get("/"));
  EXPECT_EQ(client.receive()->body, "ok");
  ASSERT_TRUE(written.occurred());
  EXPECT_TRUE(written.get());
}

TEST(HttpServer, ServesManyConnectionsAtOnce) {
  TestServer server(echo_elsewhere);
  std::vector<RawClient> clients;
  for (int n = 0; n < 300; ++n) clients.emplace_back(server.port());
  for (int round = 0; round < 3; ++round) {
    for (RawClient& client : clients) client.send(get("/"));
    for (RawClient& client : clients) {
      const auto response = client.receive();
      ASSERT_TRUE(response);
      EXPECT_EQ(response->body, "GET / ");
    }
  }
  EXPECT_EQ(server.server.connections(), 300u);
}

TEST(HttpServer, ReportsWhyItCannotListen) {
  TestServer first;
  TestApplication application;
  HttpServer taken(application, {.port = first.port()});
  const auto second = taken.listen();
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::refused);
  EXPECT_NE(second.error().message.find("in use"), std::string::npos) << second.error().message;

  HttpServer nowhere(application, {.address = "256.0.0.1"});
  const auto never = nowhere.listen();
  ASSERT_FALSE(never);
  EXPECT_EQ(never.error().code, Errc::invalid);
}

}  // namespace
}  // namespace longshore
