#include "bench/http_echo.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <optional>
#include <thread>
#include <vector>

namespace longshore::bench {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;

class Session : public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, const std::string& body) : stream_(std::move(socket)), body_(body) {}

  void read() {
    request_ = {};
    http::async_read(stream_, buffer_, request_,
                     [self = shared_from_this()](beast::error_code failure, std::size_t) {
                       if (!failure) self->answer();
                     });
  }

 private:
  void answer() {
    response_ = {http::status::accepted, request_.version()};
    response_.set(http::field::content_type, "application/json");
    response_.keep_alive(request_.keep_alive());
    response_.body() = body_;
    response_.prepare_payload();
    http::async_write(stream_, response_,
                      [self = shared_from_this()](beast::error_code failure, std::size_t) {
                        if (!failure && self->response_.keep_alive()) self->read();
                      });
  }

  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  http::request<http::string_body> request_;
  http::response<http::string_body> response_;
  const std::string& body_;
};

}  // namespace

class HttpEcho::Server {
 public:
  Server(int threads, std::string body)
      : body_(std::move(body)),
        contexts_(static_cast<std::size_t>(threads)),
        acceptor_(contexts_.front().context, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
    accept(0);
    for (Lane& lane : contexts_) {
      threads_.emplace_back([&lane] { lane.context.run(); });
    }
  }

  ~Server() {
    for (Lane& lane : contexts_) lane.context.stop();
    for (std::thread& thread : threads_) thread.join();
  }

  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

 private:
  struct Lane {
    asio::io_context context{1};
    asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
  };

  void accept(std::size_t next) {
    asio::io_context& context = contexts_[next].context;
    acceptor_.async_accept(context, [this, next](beast::error_code failure, tcp::socket socket) {
      if (failure) return;
      socket.set_option(tcp::no_delay(true));
      const auto executor = socket.get_executor();
      asio::post(executor, [session = std::make_shared<Session>(std::move(socket), body_)] {
        session->read();
      });
      accept((next + 1) % contexts_.size());
    });
  }

  const std::string body_;
  std::vector<Lane> contexts_;
  tcp::acceptor acceptor_;
  std::vector<std::thread> threads_;
};

HttpEcho::HttpEcho(int threads, std::string body)
    : server_(std::make_unique<Server>(threads, std::move(body))) {}
HttpEcho::~HttpEcho() = default;
std::uint16_t HttpEcho::port() const { return server_->port(); }

}  // namespace longshore::bench
