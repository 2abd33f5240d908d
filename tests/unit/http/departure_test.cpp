// What happens when the other side leaves, or is too slow.
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

  // The request, once it is there, with `gone` to be told.
  Exchange watched() {
    EXPECT_TRUE(arrived.events());
    Exchange exchange = arrived.get();
    exchange->on_gone([this] { gone.set(true); });
    return exchange;
  }
  void answer(const Exchange& exchange) {
    exchange->answer(text(200, "late"), [this](bool whole) { written.set(whole); });
  }
};

TEST(HttpDeparture, IsToldAtOnceWhenTheClientCloses) {
  LongPoll poll;
  RawClient client(poll.server.port());
  client.send(request);
  const Exchange exchange = poll.watched();
  client.close();
  EXPECT_TRUE(poll.gone.events());
}

TEST(HttpDeparture, IsToldAtOnceWhenTheConnectionBreaks) {
  LongPoll poll;
  RawClient client(poll.server.port());
  client.send(request);
  const Exchange exchange = poll.watched();
  client.reset();
  EXPECT_TRUE(poll.gone.events());
}

TEST(HttpDeparture, IsToldAlsoOfAClientThatSentMore) {
  LongPoll poll;
  RawClient client(poll.server.port());
  client.send(std::string(request) + std::string(request));
  const Exchange exchange = poll.watched();
  client.close();
  EXPECT_TRUE(poll.gone.events());
}

TEST(HttpDeparture, IsToldToWhoAsksTooLate) {
  LongPoll poll;
  RawClient client(poll.server.port());
  client.send(request);
  const Exchange exchange = poll.watched();
  client.close();
  ASSERT_TRUE(poll.gone.events());
  poll.answer(exchange);
  ASSERT_TRUE(poll.written.events());
  EXPECT_FALSE(poll.written.get());
}

TEST(HttpDeparture, IsSeenByAnAnswerThatComesBeforeTheNews) {
  Event<Exchange> arrived;
  Event<bool> standing, closed, written;
  TestServer server(
      [&](Exchange exchange) {
        if (exchange->request().target == "/wait") return arrived.set(std::move(exchange));
        // The one thread that reads both connections stands still while the first client leaves.
        standing.set(true);
        EXPECT_TRUE(closed.events());
        arrived.get()->answer(text(200, "late"), [&](bool whole) { written.set(whole); });
        TestApplication::echo(std::move(exchange));
      },
      {}, 1);
  RawClient client(server.port());
  client.send(request);
  ASSERT_TRUE(arrived.events());
  RawClient other(server.port());
  other.send("GET /stand HTTP/1.1\r\nHost: h\r\n\r\n");
  ASSERT_TRUE(standing.events());
  client.close();
  closed.set(true);
  ASSERT_TRUE(written.events());
  EXPECT_FALSE(written.get());
  EXPECT_TRUE(other.receive());
}

TEST(HttpDeparture, IsToldOnceToTheLastWhoAsked) {
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
  ASSERT_TRUE(second.events());
  EXPECT_EQ(told, 0);
  exchange->on_gone([&] { ++told; });
  EXPECT_EQ(told, 0) << "it was told already";
}

TEST(HttpDeparture, IsToldAtOnceToWhoAsksAfterwards) {
  LongPoll poll;
  RawClient client(poll.server.port());
  client.send(request);
  ASSERT_TRUE(poll.arrived.events());
  const Exchange exchange = poll.arrived.get();
  client.close();
  // The connection goes when its last request is dropped; until then nobody has been told.
  exchange->on_gone({});
  exchange->on_gone([&] { poll.gone.set(true); });
  EXPECT_TRUE(poll.gone.events());
}

TEST(HttpDeparture, IsNotToldOnceAnswered) {
  LongPoll poll;
  RawClient client(poll.server.port());
  client.send(request);
  const Exchange exchange = poll.watched();
  std::atomic<bool> told = false;
  exchange->on_gone([&] { told = true; });
  poll.answer(exchange);
  ASSERT_TRUE(client.receive());
  ASSERT_TRUE(poll.written.events());
  EXPECT_TRUE(poll.written.get());
  client.close();
  poll.server.server.stop();
  EXPECT_FALSE(told);
}

// Nobody can tell such a client from one that is gone; see connection.h.
TEST(HttpDeparture, AnswersAClientThatOnlySendsNoMoreButDoesNotCountOnIt) {
  LongPoll poll;
  RawClient client(poll.server.port());
  client.send(request);
  client.end_sending();
  const Exchange exchange = poll.watched();
  ASSERT_TRUE(poll.gone.events());
  poll.answer(exchange);
  const auto response = client.receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->body, "late");
  EXPECT_EQ(response->header("connection"), "close");
  ASSERT_TRUE(poll.written.events());
  EXPECT_FALSE(poll.written.get());
  EXPECT_TRUE(client.at_end());
}

TEST(HttpDeparture, FreesTheConnectionWhenTheRequestIsDropped) {
  LongPoll poll;
  RawClient client(poll.server.port());
  client.send(request);
  Exchange exchange = poll.watched();
  client.end_sending();
  ASSERT_TRUE(poll.gone.events());
  exchange.reset();
  EXPECT_TRUE(client.at_end()) << "nobody wants to hear of an error";
}

TEST(HttpDeparture, TellsThatAnAnswerWasNotWrittenWhole) {
  Event<bool> written;
  TestServer server([&](Exchange exchange) {
    exchange->answer(text(200, std::string(50'000'000, 'x')),
                     [&](bool whole) { written.set(whole); });
  });
  RawClient client(server.port());
  client.send(request);
  EXPECT_EQ(client.receive_bytes(1000).size(), 1000u);
  client.reset();
  ASSERT_TRUE(written.events());
  EXPECT_FALSE(written.get());
}

TEST(HttpDeparture, GivesUpAReaderThatTakesNothing) {
  Event<bool> written;
  TestServer server(
      [&](Exchange exchange) {
        exchange->answer(text(200, std::string(50'000'000, 'x')),
                         [&](bool whole) { written.set(whole); });
      },
      {.write_time = Duration::millis(50)});
  RawClient client(server.port());
  client.send(request);
  ASSERT_TRUE(written.events());
  EXPECT_FALSE(written.get());
}

TEST(HttpDeparture, SurvivesTheServer) {
  Exchange kept;
  Event<bool> written;
  {
    LongPoll poll;
    RawClient client(poll.server.port());
    client.send(request);
    kept = poll.watched();
    poll.server.server.stop();
    EXPECT_TRUE(poll.gone.events());
    EXPECT_TRUE(client.at_end());
  }
  kept->answer(text(200, "too late"), [&](bool whole) { written.set(whole); });
  ASSERT_TRUE(written.events());
  EXPECT_FALSE(written.get());
}

}  // namespace
}  // namespace longshore
