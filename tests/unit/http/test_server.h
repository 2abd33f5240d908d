// A server on loopback with an application defined by the test.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>

#include "http/exchange.h"
#include "http/server.h"

namespace longshore {

using Exchange = std::shared_ptr<HttpExchange>;

// Answers 200 and "METHOD TARGET BODY" unless the handler is replaced.
class TestApplication : public HttpApplication {
 public:
  std::size_t body_limit(std::string_view method, std::string_view target) const override;
  void handle(Exchange exchange) override { handler(std::move(exchange)); }
  HttpResponse refuse(std::string_view code, std::string_view detail) override;

  std::atomic<std::size_t> bytes_max = 1024;
  std::function<void(Exchange)> handler = echo;  // set before the server starts

  static void echo(Exchange exchange);
};

class TestServer {
 public:
  explicit TestServer(HttpOptions options = {}, int threads = 2);
  TestServer(std::function<void(Exchange)> handler, HttpOptions options = {}, int threads = 2);

  std::uint16_t port() const { return port_; }

  TestApplication application;
  HttpServer server;

 private:
  void start(int threads);
  std::uint16_t port_ = 0;
};

HttpResponse text(int status, std::string body);

// An event that another thread triggers once.
template <class T>
class Event {
 public:
  void set(T value) { promise_.set_value(std::move(value)); }
  bool occurred() {
    return future_.wait_for(std::chrono::seconds(10)) == std::future_status::ready;
  }
  // REQUIRES: occurred()
  T get() { return future_.get(); }

 private:
  std::promise<T> promise_;
  std::future<T> future_ = promise_.get_future();
};

}  // namespace longshore
