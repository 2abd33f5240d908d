// One HTTP request and its response, independent of sockets: the interface between the server and
// its application. The application may respond from any thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace longshore {

struct HttpHeader {
  std::string name;
  std::string value;
};

// Valid HTTP, within every limit, with its complete body.
struct HttpRequest {
  std::string method;  // as sent: "GET", "POST", ...; HEAD is presented as GET
  std::string target;  // as sent, percent-encoded; begins with '/', or is "*" for OPTIONS
  std::vector<HttpHeader> headers;
  std::string body;
  std::string peer;     // the client's address, without the port
  bool secure = false;  // came over TLS

  // The first header of that name, ignoring case; a view without data if there is none.
  std::string_view header(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";  // empty: no body
  std::vector<HttpHeader> headers;  // besides Content-Type, Content-Length, Date and Connection
  std::string body;
};

// A response that is sent piece by piece until it is ended. Safe to share between threads. The
// server buffers at most `buffer_bytes` that the client has not received. Destroying it ends it.
class HttpStream {
 public:
  virtual ~HttpStream() = default;
  // False, and the bytes are on_dropped, if the client has disconnected or is too slow for the
  // buffer.
  virtual bool send(std::string bytes) = 0;
  // Ends the response after what was sent. Idempotent.
  virtual void end() = 0;
};

// Safe to share between threads. Exactly one of answer and stream is called, once; an exchange that
// is destroyed without either is answered with 500.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;

  const HttpRequest& request() const { return request_; }
  // Moves the body out to avoid a copy; it is empty afterwards.
  std::string take_body() { return std::move(request_.body); }

  // `written` is called once, soon and on any thread, and says whether the complete response
  // reached the socket. It may be empty.
  virtual void answer(HttpResponse response, std::function<void(bool)> written = {}) = 0;

  // Begins a streamed response. `buffer_bytes` may be buffered for a slow client.
  virtual std::shared_ptr<HttpStream> stream(HttpResponse head, std::size_t buffer_bytes) = 0;

  // `gone` is called, at most once and on any thread, if the client disconnects before answer() is
  // called (`written` reports it afterwards) or before the stream has ended; at once if it already
  // has disconnected. A later call replaces the callback; an empty one removes it.
  virtual void on_gone(std::function<void()> gone) = 0;

 protected:
  explicit HttpExchange(HttpRequest request) : request_(std::move(request)) {}

 private:
  HttpRequest request_;
};

// What the server calls before and after reading a request. Safe to share between threads; must not
// block, since it is called on the threads that serve the sockets.
class HttpApplication {
 public:
  virtual ~HttpApplication() = default;
  // The largest allowed body of this request. Called once its headers are complete.
  virtual std::size_t body_limit(std::string_view method, std::string_view target) const = 0;
  virtual void handle(std::shared_ptr<HttpExchange> exchange) = 0;
  // The response to an invalid request, such as "BAD_REQUEST" or "HEADERS_TOO_LARGE"; the
  // connection is closed after it.
  virtual HttpResponse refuse(std::string_view code, std::string_view detail) = 0;
};

}  // namespace longshore
