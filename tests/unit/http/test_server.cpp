#include "unit/http/test_server.h"

#include <gtest/gtest.h>

#include <map>

namespace longshore {
namespace {

int status_of(std::string_view code) {
  static const std::map<std::string_view, int> statuses = {
      {"BAD_REQUEST", 400},  {"REQUEST_TIMEOUT", 408},   {"TOO_LARGE", 413},
      {"URI_TOO_LONG", 414}, {"HEADERS_TOO_LARGE", 431}, {"INTERNAL", 500},
      {"OVERLOADED", 503},   {"HTTP_VERSION", 505},
  };
  const auto found = statuses.find(code);
  return found == statuses.end() ? 599 : found->second;
}

}  // namespace

HttpResponse text(int status, std::string body) {
  return {.status = status, .content_type = "text/plain", .headers = {}, .body = std::move(body)};
}

std::size_t TestApplication::body_limit(std::string_view, std::string_view) const {
  return bytes_max;
}

HttpResponse TestApplication::refuse(std::string_view code, std::string_view detail) {
  EXPECT_FALSE(detail.empty());
  return text(status_of(code), std::string(code));
}

void TestApplication::echo(Exchange exchange) {
  const HttpRequest& request = exchange->request();
  exchange->answer(text(200, request.method + " " + request.target + " " + request.body));
}

TestServer::TestServer(HttpOptions options, int threads) : server(application, std::move(options)) {
  start(threads);
}

TestServer::TestServer(std::function<void(Exchange)> handler, HttpOptions options, int threads)
    : server(application, std::move(options)) {
  application.handler = std::move(handler);
  start(threads);
}

void TestServer::start(int threads) {
  const Result<std::uint16_t> port = server.listen();
  EXPECT_TRUE(port) << port.error().message;
  if (!port) return;
  port_ = *port;
  server.start(threads);
}

}  // namespace longshore
