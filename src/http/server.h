// The HTTP server: sockets, TLS, HTTP/1.1 and limits. Its application (http/exchange.h) gives
// requests their meaning.
//
// Each thread serves the connections assigned to it. The requests of a connection are passed to the
// application one after the other; pipelined requests wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "http/exchange.h"
#include "longshore/error.h"
#include "longshore/time.h"

namespace longshore {

// PEM files: the certificate with its chain, and the key.
struct HttpTlsFiles {
  std::string certificate;
  std::string key;
};

struct HttpOptions {
  std::string address = "127.0.0.1";  // or a name, which resolves to its first address
  std::uint16_t port = 0;             // 0: any free port
  std::optional<HttpTlsFiles> tls;

  std::size_t request_line_bytes = 8 * 1024;  // more: URI_TOO_LONG
  std::size_t header_bytes = 16 * 1024;       // more: HEADERS_TOO_LARGE
  std::size_t header_count = 100;             // more: HEADERS_TOO_LARGE
  std::size_t connections = 16 * 1024;        // beyond it: OVERLOADED (without TLS)
  // Of all bodies being read, processed or written. Beyond it, a body of more than 64 KiB is
  // refused as OVERLOADED; smaller ones, such as heartbeats, are not.
  std::size_t in_flight_bytes = 256 * 1024 * 1024;

  // Accurate to a second, or a quarter of the shortest.
  Duration handshake_time = Duration::seconds(10);
  Duration header_time = Duration::seconds(10);  // from a request's first byte; REQUEST_TIMEOUT
  Duration body_time = Duration::seconds(60);    // from the end of its headers; REQUEST_TIMEOUT
  Duration idle_time = Duration::seconds(75);    // between requests; the connection is closed
  Duration write_time = Duration::seconds(30);   // for a client that receives nothing
  // After the last response, for the client to read it: further input is discarded, up to
  // `linger_bytes`, since closing at once could discard the response.
  Duration linger_time = Duration::seconds(5);
  std::size_t linger_bytes = 32 * 1024 * 1024;
};

// Failures before a request was read, since the start.
struct HttpTroubles {
  std::int64_t accept_failures = 0;  // out of descriptors or memory, each followed by a pause
  std::string accept_failure = {};   // the latest, as text
  std::int64_t closed_unanswered =
      0;  // connections beyond the limit that were closed without a response
};

// Call from one thread at a time, and not from the application's functions. It is valid to stop
// before starting and to stop twice; a stopped server cannot be restarted.
class HttpServer {
 public:
  // `application` must outlive the server.
  HttpServer(HttpApplication& application, HttpOptions options);
  ~HttpServer();  // calls stop()
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Binds, and returns the port. Clients can connect from now on; they are served after start().
  // Errc::invalid if the address or the TLS files cannot be used.
  Result<std::uint16_t> listen();
  // REQUIRES: listen() succeeded; threads > 0.
  void start(int threads);

  // Reads the TLS files again. Only new connections use the new certificate. On Errc::invalid
  // nothing changes.
  Result<Nothing> reload_tls();

  void stop_accepting();
  // Closes idle connections, and waits for the responses to all requests that have begun to arrive;
  // each closes its connection. True if that completed in time. Stops accepting first.
  bool drain(Duration longest);
  // Closes every connection at once. For later responses `written` is called with false.
  void stop();

  std::size_t connections() const;
  HttpTroubles troubles() const;

 private:
  class Sockets;
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace longshore
