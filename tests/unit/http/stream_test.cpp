// Streamed responses.
#include <gtest/gtest.h>

#include "http/server.h"
#include "unit/http/raw_client.h"
#include "unit/http/test_server.h"

namespace longshore {
namespace {

using Stream = std::shared_ptr<HttpStream>;

constexpr std::size_t buffer_bytes = 64 * 1024;
constexpr std::string_view events_request = "GET /events HTTP/1.1\r\nHost: h\r\n\r\n";

HttpResponse events() { return {.status = 200, .content_type = "text/event-stream"}; }

class Streaming {
 public:
  Streaming()
      : server([this](Exchange exchange) {
          if (exchange->request().target != "/events") return TestApplication::echo(exchange);
          exchange->on_gone([this] { gone.set(true); });
          begun.set(exchange->stream(events(), buffer_bytes));
        }) {}

  Event<Stream> begun;
  Event<bool> gone;
  TestServer server;

  Stream stream() {
    EXPECT_TRUE(begun.occurred());
    return begun.get();
  }
};

TEST(HttpStream, SendsChunksAtOnceAndKeepsTheConnection) {
  Streaming streaming;
  RawClient client(streaming.server.port());
  client.send(events_request);
  const Stream stream = streaming.stream();
  const std::string head = client.receive_until("\r\n\r\n");
  EXPECT_NE(head.find("Transfer-Encoding: chunked"), std::string::npos);
  EXPECT_EQ(head.find("Content-Length"), std::string::npos);
  EXPECT_TRUE(stream->send("data: one\n\n"));
  EXPECT_EQ(client.receive_until("\n\n\r\n"), "b\r\ndata: one\n\n\r\n");
  EXPECT_TRUE(stream->send(""));
  EXPECT_TRUE(stream->send("data: two\n\n"));
  EXPECT_EQ(client.receive_until("\n\n\r\n"), "b\r\ndata: two\n\n\r\n");
  stream->end();
  stream->end();
  EXPECT_FALSE(stream->send("more"));
  EXPECT_EQ(client.receive_until("\r\n\r\n"), "0\r\n\r\n");
  client.send("GET /next HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_EQ(client.receive()->body, "GET /next ");
}

TEST(HttpStream, ClosesTheConnectionInHttp10) {
  Streaming streaming;
  RawClient client(streaming.server.port());
  client.send("GET /events HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  const Stream stream = streaming.stream();
  EXPECT_TRUE(stream->send("data: one\n\n"));
  stream->end();
  const auto response = client.receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->header("transfer-encoding"), "");
  EXPECT_EQ(response->header("connection"), "close");
  EXPECT_EQ(response->body, "data: one\n\n");
}

TEST(HttpStream, EndsWhenItIsDropped) {
  Streaming streaming;
  RawClient client(streaming.server.port());
  client.send(events_request);
  streaming.stream()->send("data: one\n\n");
  const auto response = client.receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->body, "data: one\n\n");
}

TEST(HttpStream, RefusesDataBeyondTheBufferOfASlowReader) {
  Streaming streaming;
  RawClient client(streaming.server.port());
  client.shrink_receive_buffer();
  client.send(events_request);
  const Stream stream = streaming.stream();
  const std::string piece(1000, 'x');
  std::size_t kept = 0;
  while (stream->send(piece)) kept += piece.size();
  // The kernel buffers some data as well, but not without limit.
  EXPECT_GE(kept, buffer_bytes - piece.size());
  EXPECT_LT(kept, 50'000'000u);
  EXPECT_FALSE(stream->send(std::string(buffer_bytes + 1, 'x')));
  // Refused data is not sent; everything accepted is.
  stream->end();
  const auto response = client.receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->body.size(), kept);
}

TEST(HttpStream, AcceptsDataAgainOnceTheReaderHasReadSome) {
  Streaming streaming;
  RawClient client(streaming.server.port());
  client.send(events_request);
  const Stream stream = streaming.stream();
  client.receive_until("\r\n\r\n");
  const std::string piece(buffer_bytes, 'x');
  for (int n = 0; n < 100; ++n) {
    while (!stream->send(piece)) {
    }
    const std::string size = client.receive_until("\r\n");
    ASSERT_EQ(size, "10000\r\n");
    ASSERT_EQ(client.receive_bytes(buffer_bytes + 2).size(), buffer_bytes + 2);
  }
}

TEST(HttpStream, ReportsThatTheReaderIsGone) {
  Streaming streaming;
  RawClient client(streaming.server.port());
  client.send(events_request);
  const Stream stream = streaming.stream();
  EXPECT_TRUE(stream->send("data: one\n\n"));
  client.close();
  ASSERT_TRUE(streaming.gone.occurred());
  EXPECT_FALSE(stream->send("data: two\n\n"));
}

TEST(HttpStream, EndsWithTheServer) {
  Stream stream;
  {
    Streaming streaming;
    RawClient client(streaming.server.port());
    client.send(events_request);
    stream = streaming.stream();
    streaming.server.server.stop();
    EXPECT_TRUE(streaming.gone.occurred());
  }
  EXPECT_FALSE(stream->send("data: one\n\n"));
  stream->end();
}

TEST(HttpStream, HasNoBodyForHead) {
  Streaming streaming;
  RawClient client(streaming.server.port());
  client.send("HEAD /events HTTP/1.1\r\nHost: h\r\n\r\nGET /next HTTP/1.1\r\nHost: h\r\n\r\n");
  const Stream stream = streaming.stream();
  EXPECT_FALSE(stream->send("data: one\n\n"));
  const auto head = client.receive(true);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->header("content-type"), "text/event-stream");
  EXPECT_EQ(client.receive()->body, "GET /next ");
}

}  // namespace
}  // namespace longshore
