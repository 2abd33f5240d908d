// One connection to a server, used by one thread at a time.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "client/http/http_client.h"

namespace longshore {

class TrustedCertificates {
 public:
  // Those in the file, or the system's if the name is empty. Servers must present a valid
  // certificate.
  std::optional<Error> load(const std::string& ca_file);

  boost::asio::ssl::context context{boost::asio::ssl::context::tls_client};
};

class ServerConnection {
 public:
  static constexpr std::uint64_t any_answer = 64 * 1024 * 1024;
  explicit ServerConnection(std::uint64_t answer_bytes_max = any_answer)
      : answer_bytes_max_(answer_bytes_max) {}

  // Each returns an error message, or nothing on success. After an error the connection is
  // unusable.
  std::optional<std::string> open(const ServerAddress& address, TrustedCertificates* trusted,
                                  Duration timeout, const std::stop_token& stop);
  // The same without resolving the name: the certificate must be for `host`.
  std::optional<std::string> open(const std::vector<boost::asio::ip::tcp::endpoint>& endpoints,
                                  const std::string& host, TrustedCertificates* trusted,
                                  Duration timeout, const std::stop_token& stop);
  // Uses only the timeout and the piece callback of `call`.
  std::optional<std::string> exchange(
      boost::beast::http::request<boost::beast::http::string_body>& request, HttpReply& reply,
      const HttpCall& call, const std::stop_token& stop);

  // The server has not closed it, as far as is known.
  bool is_alive();
  // The last response allows another request.
  bool is_reusable() const { return reusable_; }
  // The exchange failed because the response exceeded the size limit.
  bool overflown() const { return overflown_; }

 private:
  using Plain = boost::beast::tcp_stream;
  using Secure = boost::beast::ssl_stream<boost::beast::tcp_stream>;

  Plain& lowest() { return secure_ ? secure_->next_layer() : *plain_; }
  // Runs one operation until it has ended, timed out or been stopped.
  template <class Start>
  std::optional<std::string> run(Duration timeout, const std::stop_token& stop, Start start);
  template <class Stream>
  std::optional<std::string> exchange_on(
      Stream& stream, boost::beast::http::request<boost::beast::http::string_body>& request,
      HttpReply& reply, const HttpCall& call, const std::stop_token& stop);
  template <class Stream, class Parser>
  std::optional<std::string> read_in_pieces(Stream& stream, Parser& parser, const HttpCall& call,
                                            const std::stop_token& stop);

  const std::uint64_t answer_bytes_max_;
  boost::asio::io_context io_;
  std::optional<Plain> plain_;
  std::optional<Secure> secure_;
  boost::beast::flat_buffer buffer_;
  bool reusable_ = false;
  bool overflown_ = false;
};

}  // namespace longshore
