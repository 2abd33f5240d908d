#include "http/tls.h"

#include <gtest/gtest.h>

#include <thread>

#include "http/server.h"
#include "unit/http/certificate.h"
#include "unit/http/raw_client.h"
#include "unit/http/test_server.h"

namespace longshore {
namespace {

class HttpTls : public testing::Test {
 protected:
  HttpTls() { certificates.make(0x1001); }

  HttpOptions options() const { return {.tls = certificates.files()}; }

  CertificateFolder certificates;
};

TEST_F(HttpTls, ServesHttpOverTls) {
  TestServer server(
      [](Exchange exchange) {
        exchange->answer(text(200, exchange->request().secure ? "secure" : "plain"));
      },
      options());
  RawClient client(server.port());
  ASSERT_TRUE(client.start_tls());
  for (int n = 0; n < 10; ++n) {
    client.send(good_request);
    const auto response = client.receive();
    ASSERT_TRUE(response);
    EXPECT_EQ(response->body, "secure");
  }
}

TEST_F(HttpTls, TransfersLargeBodiesInBothDirections) {
  TestServer server([](Exchange exchange) { exchange->answer(text(200, exchange->take_body())); },
                    options());
  server.application.bytes_max = 8'000'000;
  RawClient client(server.port());
  ASSERT_TRUE(client.start_tls());
  const std::string body(5'000'000, 'x');
  client.send("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 5000000\r\n\r\n");
  client.send(body);
  const auto response = client.receive();
  ASSERT_TRUE(response);
  EXPECT_TRUE(response->body == body);
}

// Pipelined requests wait decrypted in the TLS session, where the socket does not report them.
TEST_F(HttpTls, AnswersPipelinedRequests) {
  TestServer server(
      [](Exchange exchange) {
        std::thread([exchange = std::move(exchange)] { TestApplication::echo(exchange); }).detach();
      },
      options());
  RawClient client(server.port());
  ASSERT_TRUE(client.start_tls());
  std::string requests;
  for (int n = 0; n < 300; ++n) {
    requests += "GET /" + std::to_string(n) +
                " HTTP/1.1\r\nHost: h\r\nX: " + std::string(1000, 'x') + "\r\n\r\n";
  }
  client.send(requests);
  for (int n = 0; n < 300; ++n) {
    const auto response = client.receive();
    ASSERT_TRUE(response);
    ASSERT_EQ(response->body, "GET /" + std::to_string(n) + " ");
  }
}

TEST_F(HttpTls, ReportsThatTheClientIsGone) {
  Event<bool> gone;
  Event<Exchange> arrived;
  TestServer server(
      [&](Exchange exchange) {
        exchange->on_gone([&] { gone.set(true); });
        arrived.set(std::move(exchange));
      },
      options());
  RawClient client(server.port());
  ASSERT_TRUE(client.start_tls());
  client.send(good_request);
  ASSERT_TRUE(arrived.occurred());
  const Exchange exchange = arrived.get();
  client.close();
  EXPECT_TRUE(gone.occurred());
}

TEST_F(HttpTls, UsesANewCertificateForNewConnectionsOnly) {
  TestServer server(options());
  RawClient before(server.port());
  ASSERT_TRUE(before.start_tls());
  EXPECT_EQ(before.certificate_serial(), "1001");

  certificates.make(0x2002);
  RawClient between(server.port());
  ASSERT_TRUE(between.start_tls());
  EXPECT_EQ(between.certificate_serial(), "1001") << "it has not been reloaded";

  ASSERT_TRUE(server.server.reload_tls());
  RawClient after(server.port());
  ASSERT_TRUE(after.start_tls());
  EXPECT_EQ(after.certificate_serial(), "2002");
  for (RawClient* client : {&before, &between, &after}) {
    client->send(good_request);
    EXPECT_TRUE(client->receive());
  }
}

TEST_F(HttpTls, KeepsTheOldCertificateIfTheNewOneIsInvalid) {
  TestServer server(options());
  certificates.spoil();
  const auto reloaded = server.server.reload_tls();
  ASSERT_FALSE(reloaded);
  EXPECT_EQ(reloaded.error().code, Errc::invalid);
  EXPECT_NE(reloaded.error().message.find(certificates.files().certificate), std::string::npos);
  RawClient client(server.port());
  ASSERT_TRUE(client.start_tls());
  EXPECT_EQ(client.certificate_serial(), "1001");
}

TEST_F(HttpTls, DoesNotListenWithoutItsFiles) {
  TestApplication application;
  certificates.spoil();
  HttpServer server(application, options());
  EXPECT_FALSE(server.listen());
}

TEST_F(HttpTls, RefusesAKeyOfAnotherCertificate) {
  CertificateFolder other;
  other.make(0x3003);
  TestApplication application;
  HttpServer server(application,
                    {.tls = HttpTlsFiles{.certificate = certificates.files().certificate,
                                         .key = other.files().key}});
  EXPECT_FALSE(server.listen());
}

TEST_F(HttpTls, EndsAHandshakeThatTakesTooLong) {
  HttpOptions hasty = options();
  hasty.handshake_time = Duration::millis(40);
  TestServer server(hasty);
  RawClient silent(server.port());
  EXPECT_TRUE(silent.at_end());
  RawClient slow(server.port());
  slow.send("\x16\x03\x01");
  EXPECT_TRUE(slow.at_end());
}

TEST_F(HttpTls, EndsAConnectionThatDoesNotSpeakTls) {
  TestServer server(options());
  RawClient client(server.port());
  client.send(good_request);
  EXPECT_FALSE(client.receive()) << "the server sends no HTTP";
}

TEST_F(HttpTls, RespondsWithTheReasonOfARefusal) {
  TestServer server(options());
  RawClient client(server.port());
  ASSERT_TRUE(client.start_tls());
  client.send("GET / HTTP/1.1\r\n\r\n");
  const auto response = client.receive();
  ASSERT_TRUE(response);
  EXPECT_EQ(response->body, "BAD_REQUEST");
  EXPECT_TRUE(client.at_end());
}

TEST_F(HttpTls, Drains) {
  TestServer server(options());
  RawClient client(server.port());
  ASSERT_TRUE(client.start_tls());
  client.send(good_request);
  ASSERT_TRUE(client.receive());
  EXPECT_TRUE(server.server.drain(Duration::seconds(10)));
  EXPECT_TRUE(client.at_end());
}

}  // namespace
}  // namespace longshore
