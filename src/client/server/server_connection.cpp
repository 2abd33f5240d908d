#include "client/server/server_connection.h"

#include <openssl/ssl.h>
#include <sys/socket.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <utility>

namespace longshore {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::uint32_t header_bytes_max = 64 * 1024;

}  // namespace

std::optional<Error> TrustedCertificates::load(const std::string& ca_file) {
  namespace ssl = asio::ssl;
  error_code fault;
  context.set_verify_mode(ssl::verify_peer);
  context.set_options(ssl::context::default_workarounds | ssl::context::no_tlsv1 |
                      ssl::context::no_tlsv1_1);
  if (ca_file.empty()) {
    context.set_default_verify_paths(fault);
  } else {
    context.load_verify_file(ca_file, fault);
  }
  if (!fault) return std::nullopt;
  return Error{Errc::invalid, "cannot read the trusted certificates" +
                                  (ca_file.empty() ? "" : " in " + ca_file) + ": " +
                                  fault.message()};
}

template <class Start>
std::optional<std::string> ServerConnection::run(Duration timeout, const std::stop_token& stop,
                                                 Start start) {
  lowest().expires_after(std::chrono::milliseconds(timeout.count()));
  std::optional<error_code> ended;
  start([&ended](error_code error, auto&&...) { ended = error; });
  const std::stop_callback give_up(stop,
                                   [this] { asio::post(io_, [this] { lowest().cancel(); }); });
  io_.restart();
  while (!ended) io_.run_one();
  if (!*ended) return std::nullopt;
  overflown_ = *ended == http::error::body_limit;
  if (stop.stop_requested()) return "given up";
  if (*ended == beast::error::timeout) return "no response in time";
  return ended->message();
}

std::optional<std::string> ServerConnection::open(const ServerAddress& address,
                                                  TrustedCertificates* trusted, Duration timeout,
                                                  const std::stop_token& stop) {
  asio::ip::tcp::resolver resolver(io_);
  error_code fault;
  std::vector<asio::ip::tcp::endpoint> endpoints;
  for (const auto& found : resolver.resolve(address.host, address.port, fault)) {
    endpoints.push_back(found.endpoint());
  }
  if (fault) return "cannot resolve " + address.host + ": " + fault.message();
  return open(endpoints, address.host, trusted, timeout, stop);
}

std::optional<std::string> ServerConnection::open(
    const std::vector<asio::ip::tcp::endpoint>& endpoints, const std::string& host,
    TrustedCertificates* trusted, Duration timeout, const std::stop_token& stop) {
  if (trusted != nullptr) {
    secure_.emplace(io_, trusted->context);
  } else {
    plain_.emplace(io_);
  }
  auto connected =
      run(timeout, stop, [&](auto done) { lowest().async_connect(endpoints, std::move(done)); });
  if (connected) return connected;
  error_code fault;
  lowest().socket().set_option(asio::ip::tcp::no_delay(true), fault);
  if (trusted == nullptr) return std::nullopt;
  // SNI requires a host name, not an address.
  asio::ip::make_address(host, fault);
  if (fault) SSL_set_tlsext_host_name(secure_->native_handle(), host.c_str());
  secure_->set_verify_callback(asio::ssl::host_name_verification(host));
  return run(timeout, stop, [&](auto done) {
    secure_->async_handshake(asio::ssl::stream_base::client, std::move(done));
  });
}

// An error response is read completely into the reply.
template <class Stream, class Parser>
std::optional<std::string> ServerConnection::read_in_pieces(Stream& stream, Parser& parser,
                                                            const HttpCall& call,
                                                            const std::stop_token& stop) {
  while (!parser.is_done()) {
    const auto fault = run(call.timeout, stop, [&](auto done) {
      http::async_read_some(stream, buffer_, parser, std::move(done));
    });
    if (fault) return fault;
    if (!parser.is_header_done() || parser.get().result_int() != 200) continue;
    std::string& body = parser.get().body();
    if (!body.empty()) call.on_body(body);
    body.clear();
  }
  return std::nullopt;
}

template <class Stream>
std::optional<std::string> ServerConnection::exchange_on(Stream& stream,
                                                         http::request<http::string_body>& request,
                                                         HttpReply& reply, const HttpCall& call,
                                                         const std::stop_token& stop) {
  auto fault = run(call.timeout, stop,
                   [&](auto done) { http::async_write(stream, request, std::move(done)); });
  if (fault) return fault;
  http::response_parser<http::string_body> parser;
  parser.body_limit(answer_bytes_max_);
  parser.header_limit(header_bytes_max);
  if (call.on_body) {
    fault = read_in_pieces(stream, parser, call, stop);
  } else {
    fault = run(call.timeout, stop,
                [&](auto done) { http::async_read(stream, buffer_, parser, std::move(done)); });
  }
  if (fault) return fault;
  http::response<http::string_body> answer = parser.release();
  // A late stop request would end the next exchange instead.
  reusable_ = answer.keep_alive() && buffer_.size() == 0 && !stop.stop_requested();
  reply.status = answer.result_int();
  for (const auto& field : answer) {
    reply.headers.emplace_back(field.name_string(), field.value());
  }
  reply.body = std::move(answer.body());
  return std::nullopt;
}

std::optional<std::string> ServerConnection::exchange(http::request<http::string_body>& request,
                                                      HttpReply& reply, const HttpCall& call,
                                                      const std::stop_token& stop) {
  reusable_ = false;
  if (secure_) return exchange_on(*secure_, request, reply, call, stop);
  return exchange_on(*plain_, request, reply, call, stop);
}

// If an idle connection is readable, the server has closed it or sent unexpected data.
bool ServerConnection::is_alive() {
  char byte = 0;
  const ssize_t got = ::recv(lowest().socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

}  // namespace longshore
