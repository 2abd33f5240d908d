// Clients that disconnect or are too slow.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "http/server.h"
#include "unit/http/raw_client.h"
#include "unit/http/test_server.h"

namespace longshore {
namespace {

constexpr std::string_view request = "GET /wait HTTP/1.1\r\nHost: h\r\n\r\n";

// Keeps the request waiting, as a long poll does.
class LongPoll {
 public:
  explicit LongPoll(HttpOptions options = {})
      : server([this](Exchange exchange) { arrived.set(std::move(exchange)); },
               std::move(options)) {}

  Event<Exchange> arrived;
  Event<bool> gone;
  Event<bool> written;
  TestServer server;

  // The request, once it has arrived, with `gone` as its callback.
  Exchange watched() {
    EXPECT_TRUE(arrived.occurred());
    Exchange exchange = arrived.get();
    exchange->on_gone([this] { gone.set(true); });
    return exchange;
  }
  void answer(const Exchange& exchange) {
    exchange->answer(text(200, "late"), [this](bool whole) { written.set(whole); });
  }
};

TEST(HttpDisconnect, IsReportedAtOnceWhenTheClientCloses) {
  LongPoll poll;
  RawClient client(poll.server.port());
  client.send(request);
  const Exchange exchange = poll.watched();
  client.close();
  EXPECT_TRUE(poll.gone.occurred());
}

TEST(HttpDisconnect, IsReportedAtOnceWhenTheConnectionBreaks) {
  LongPoll poll;
  RawClient client(poll.server.port());
  client.send(request);
  const Exchange exchange = poll.watched();
  client.reset();
  EXPECT_TRUE(poll.gone.occurred());
}

TEST(HttpDisconnect, IsReportedForAClientThatSentMore) {
  LongPoll poll;
  RawClient client(poll.server.port());
  client.send(std::string(request) + std::string(request));
  const Exchange exchange = poll.watched();
  client.close();
  EXPECT_TRUE(poll.gone.occurred());
}

TEST(HttpDisconnect, IsReportedToACallbackThatIsSetLater) {
  LongPoll poll;
  RawClient client(poll.server.port());
  client.send(request);
  const Exchange exchange = poll.watched();
  client.close();
  ASSERT_TRUE(poll.gone.occurred());
  poll.answer(exchange);
  ASSERT_TRUE(poll.written.occurred());
  EXPECT_FALSE(poll.written.get());
}

TEST(HttpDisconnect, IsDetectedByAnAnswerThatComesBeforeTheReport) {
  Event<Exchange> arrived;
  Event<bool> standing, closed, written;
  TestServer server(
      [&](Exchange exchange) {
        if (exchange->request().target == "/wait") return arrived.set(std::move(exchange));
        // The only thread, which reads both connections, is blocked while the first client leaves.
        standing.set(true);
        EXPECT_TRUE(closed.occurred());
        arrived.get()->answer(text(200, "late"), [&](bool whole) { written.set(whole); });
        TestApplication::echo(std::move(exchange));
      },
      {}, 1);
  RawClient client(server.port());
  client.send(request);
  ASSERT_TRUE(arrived.occurred());
  RawClient other(server.port());
  other.send("GET /stand HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(standing.occurred());
  client.close();
  closed.set(true);
  ASSERT_TRUE(written.occurred());
  EXPECT_FALSE(written.get());
  EXPECT_TRUE(other.receive());
}

TEST(HttpDisconnect, IsReportedOnceToTheLatestCallback) {
  LongPoll poll;
  RawClient client(poll.server.port());
  client.send(request);
  const Exchange exchange = poll.watched();
  std::atomic<int> told = 0;
  Event<bool> second;
  exchange->on_gone([&] { ++told; });
  exchange->on_gone({});
  exchange->on_gone([&] { second.set(true); });
  client.close();
  ASSERT_TRUE(second.occurred());
  EXPECT_EQ(told, 0);
  exchange->on_gone([&] { ++told; });
  EXPECT_EQ(told, 0) << "it was called already";
}

TEST(HttpDisconnect, IsReportedAtOnceToALaterCallback) {
  LongPoll poll;
  RawClient client(poll.server.port());
  client.send(request);
  ASSERT_TRUE(poll.arrived.occurred());
  const Exchange exchange = poll.arrived.get();
  client.close();
  // The connection goes when its last request is dropped; until then no callback has been called.
  exchange->on_gone({});
  exchange->on_gone([&] { poll.gone.set(true); });
  EXPECT_TRUE(poll.gone.occurred());
}

TEST(HttpDisconnect, IsNotReportedAfterTheAnswer) {
  LongPoll poll;
  RawClient client(poll.server.port());
  client.send(request);
  const Exchange exchange = poll.watched();
  std::atomic<bool> told = false;
  exchange->on_gone([&] { told = true; });
  poll.answer(exchange);
  ASSERT_TRUE(client.receive());
  ASSERT_TRUE(poll.written.occurred());
  EXPECT_TRUE(poll.written.get());
  client.close();
  poll.server.server.stop();
  EXPECT_FALSE(told);
}

// Such a client cannot be told from one that has disconnected; see connection.h.
TEST(HttpDisconnect, AHalfClosedClientIsAnsweredButReportedAsNotWritten) {
  LongPoll poll;
  RawClient client(poll.server.port());
  client.send(request);
  client.end_sending();
  const Exchange exchange = poll.watched();
  ASSERT_TRUE(poll.gone.occurred());
  poll.answer(exchange);
  const auto response = client.receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->body, "late");
  EXPECT_EQ(response->header("connection"), "close");
  ASSERT_TRUE(poll.written.occurred());
  EXPECT_FALSE(poll.written.get());
  EXPECT_TRUE(client.at_end());
}

TEST(HttpDisconnect, ClosesTheConnectionWhenTheRequestIsDropped) {
  LongPoll poll;
  RawClient client(poll.server.port());
  client.send(request);
  Exchange exchange = poll.watched();
  client.end_sending();
  ASSERT_TRUE(poll.gone.occurred());
  exchange.reset();
  EXPECT_TRUE(client.at_end()) << "there is no client to receive an error";
}

TEST(HttpDisconnect, ReportsAnIncompleteResponse) {
  Event<bool> written;
  TestServer server([&](Exchange exchange) {
    exchange->answer(text(200, std::string(50'000'000, 'x')),
                     [&](bool whole) { written.set(whole); });
  });
  RawClient client(server.port());
  client.send(request);
  EXPECT_EQ(client.receive_bytes(1000).size(), 1000u);
  client.reset();
  ASSERT_TRUE(written.occurred());
  EXPECT_FALSE(written.get());
}

TEST(HttpDisconnect, ClosesTheConnectionOfAClientThatReadsNothing) {
  Event<bool> written;
  TestServer server(
      [&](Exchange exchange) {
        exchange->answer(text(200, std::string(50'000'000, 'x')),
                         [&](bool whole) { written.set(whole); });
      },
      {.write_time = Duration::millis(50)});
  RawClient client(server.port());
  client.send(request);
  ASSERT_TRUE(written.occurred());
  EXPECT_FALSE(written.get());
}

TEST(HttpDisconnect, ExchangesMayOutliveTheServer) {
  Exchange kept;
  Event<bool> written;
  {
    LongPoll poll;
    RawClient client(poll.server.port());
    client.send(request);
    kept = poll.watched();
    poll.server.server.stop();
    EXPECT_TRUE(poll.gone.occurred());
    EXPECT_TRUE(client.at_end());
  }
  kept->answer(text(200, "too late"), [&](bool whole) { written.set(whole); });
  ASSERT_TRUE(written.occurred());
  EXPECT_FALSE(written.get());
}

}  // namespace
}  // namespace longshore
