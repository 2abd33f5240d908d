// One HTTP request and its answer, without a word about sockets: what the wire hands to the
// application, and what it takes back. Whoever answers need not know which thread it is on.
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

// Already proved proper HTTP, within every limit, with its body whole.
struct HttpRequest {
  std::string method;  // as sent: "GET", "POST", ...; a HEAD comes as the GET it stands for
  std::string target;  // as sent, escapes and all; begins with '/', or is "*" for OPTIONS
  std::vector<HttpHeader> headers;
  std::string body;
  std::string peer;     // the other side's address, without the port
  bool secure = false;  // came over TLS

  // The first header of that name, whatever its case; without data if there is none.
  std::string_view header(std::string_view name) const;
};

struct HttpResponse {
  int status = 200;
  std::string content_type = "application/json";  // empty: the answer has no body
  std::vector<HttpHeader> headers;  // besides Content-Type, Content-Length, Date and Connection
  std::string body;
};

// What is sent bit by bit over one answer that does not end by itself. Safe to share between
// threads. The wire keeps at most `buffer_bytes` that the reader has not taken. Dropping it ends
// it.
class HttpStream {
 public:
  virtual ~HttpStream() = default;
  // False, and nothing is kept, if the reader is gone or too slow for the buffer.
  virtual bool send(std::string bytes) = 0;
  // Ends the answer after what was sent. Idempotent.
  virtual void end() = 0;
};

// Safe to share between threads. Exactly one of answer and stream is called, once; an exchange
// that is dropped without either is answered 500.
class HttpExchange {
 public:
  virtual ~HttpExchange() = default;

  const HttpRequest& request() const { return request_; }
  // For who wants to keep the body without a copy; what is left of it is empty.
  std::string take_body() { return std::move(request_.body); }

  // `written` is told, once and soon, whether the answer reached the socket whole. It may be
  // empty, and is called on any thread.
  virtual void answer(HttpResponse response, std::function<void(bool)> written = {}) = 0;

  // Begins an answer without an end. `buffer_bytes` is what may wait for a slow reader.
  virtual std::shared_ptr<HttpStream> stream(HttpResponse head, std::size_t buffer_bytes) = 0;

  // `gone` is called, at most once and on any thread, if the other side leaves before answer() is
  // called (from then on `written` tells) or the stream has ended: at once if it already has. One
  // at a time: a later call replaces the one before, and an empty one takes it back.
  virtual void on_gone(std::function<void()> gone) = 0;

 protected:
  explicit HttpExchange(HttpRequest request) : request_(std::move(request)) {}

 private:
  HttpRequest request_;
};

// What the wire asks before and after it has read a request. Safe to share between threads; never
// blocks, for it is called on the threads that read the sockets.
class HttpApplication {
 public:
  virtual ~HttpApplication() = default;
  // How large a body of this request may be. Asked when its headers are there.
  virtual std::size_t body_limit(std::string_view method, std::string_view target) const = 0;
  virtual void handle(std::shared_ptr<HttpExchange> exchange) = 0;
  // The answer to what is no request, such as "BAD_REQUEST" or "HEADERS_TOO_LARGE"; the
  // connection is closed after it.
  virtual HttpResponse refuse(std::string_view code, std::string_view detail) = 0;
};

}  // namespace longshore
