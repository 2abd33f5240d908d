// The HTTP server: sockets, TLS, HTTP/1.1, limits on all of it. What a request means is its
// application's business (http/exchange.h).
//
// Each of its threads reads and writes the connections that were dealt to it. A connection's
// requests are given to the application one after the other, and pipelined ones wait their turn.
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
  std::string address = "127.0.0.1";  // or a name; the first address found for it is taken
  std::uint16_t port = 0;             // 0: any that is free
  std::optional<HttpTlsFiles> tls;

  std::size_t request_line_bytes = 8 * 1024;  // more: URI_TOO_LONG
  std::size_t header_bytes = 16 * 1024;       // more: HEADERS_TOO_LARGE
  std::size_t header_count = 100;             // more: HEADERS_TOO_LARGE
  std::size_t connections = 16 * 1024;        // one more is told OVERLOADED (not over TLS)
  // Of all bodies being read, worked on or written. Beyond it a body of more than 64 KiB is
  // refused as OVERLOADED; smaller ones, such as heartbeats, never are.
  std::size_t in_flight_bytes = 256 * 1024 * 1024;

  // Kept to within a second, or a quarter of the shortest.
  Duration handshake_time = Duration::seconds(10);
  Duration header_time = Duration::seconds(10);  // from a request's first byte; REQUEST_TIMEOUT
  Duration body_time = Duration::seconds(60);    // from the end of its headers; REQUEST_TIMEOUT
  Duration idle_time = Duration::seconds(75);    // between requests; the connection is closed
  Duration write_time = Duration::seconds(30);   // for a reader that takes nothing
  // After the last answer, for the peer to read it: what it still sends is thrown away, up to
  // `linger_bytes`, since closing at once could take the answer back.
  Duration linger_time = Duration::seconds(5);
  std::size_t linger_bytes = 32 * 1024 * 1024;
};

// What went wrong before there was a request, since the start.
struct HttpTroubles {
  std::int64_t accept_failures = 0;    // for want of descriptors or memory, each after a pause
  std::string accept_failure = {};     // the latest, in words
  std::int64_t closed_unanswered = 0;  // connections beyond the limit that nobody could be told
};

// Call from one thread at a time, and not from the application's functions. Stopping before
// starting and stopping twice are fine; once stopped it stays so.
class HttpServer {
 public:
  // `application` must outlive the server.
  HttpServer(HttpApplication& application, HttpOptions options);
  ~HttpServer();  // as stop()
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Binds, and answers which port. From now on peers can connect; they are served after start().
  // Errc::invalid if the address or the TLS files cannot be used.
  Result<std::uint16_t> listen();
  // REQUIRES: listen() succeeded; threads > 0.
  void start(int threads);

  // Reads the TLS files again. Connections go on with what they have; new ones see the new
  // certificate. On Errc::invalid everything stays as it is.
  Result<Nothing> reload_tls();

  void stop_accepting();
  // Closes what is idle, and waits for the answers to all requests that have begun to arrive; each
  // ends its connection. True if that was done in time. Accepts no more from the beginning on.
  bool drain(Duration longest);
  // Ends every connection at once, answered or not. Answers given later are told `written` false.
  void stop();

  std::size_t connections() const;
  HttpTroubles troubles() const;

 private:
  class Sockets;
  std::unique_ptr<Sockets> sockets_;
};

}  // namespace longshore
