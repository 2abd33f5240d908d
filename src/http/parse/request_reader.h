// Turns bytes into requests, however the bytes are cut. Knows no socket: the connection feeds it,
// and a fuzzer can.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/exchange.h"
#include "http/parse/framing.h"
#include "http/parse/refusal.h"

namespace longshore::wire {

struct HeadLimits {
  std::size_t request_line_bytes = 8 * 1024;
  std::size_t header_bytes = 16 * 1024;
  std::size_t header_count = 100;
};

// Reads one request; begin() makes it ready for the next. Not safe to share between threads.
class RequestReader {
 public:
  enum class Progress {
    more,     // everything was taken, and the request is not whole
    head,     // told once, before the body: now is the time for limit_body
    whole,    // request() is complete; what is left of the bytes belongs to the next one
    refused,  // refusal() says why; what is left cannot be read
  };

  // `limits` must outlive the reader.
  explicit RequestReader(const HeadLimits& limits) : limits_(limits) {}

  void begin();
  // Takes from the front of `bytes` what belongs to this request, up to the next thing to tell.
  // REQUIRES: begin() since whole or refused.
  Progress feed(std::string_view& bytes);
  // Refuses a body that says that it is larger; one that says nothing is refused when it is.
  MaybeRefusal limit_body(std::size_t bytes);

  HttpRequest& request() { return request_; }
  const Framing& framing() const { return framing_; }
  const Refusal& refusal() const { return refusal_; }
  bool in_body() const { return state_ > State::head_told; }
  bool has_body() const { return framing_.chunked || framing_.content_length > 0; }

 private:
  enum class State {
    first_line,  // an empty line before it is forgiven, once
    request_line,
    headers,
    head_told,
    body,
    chunk_size,
    chunk,
    chunk_end,  // the line end after it
    trailers,
  };

  // Each answers `more` if there is nothing to tell yet.
  Progress step(std::string_view& bytes);
  Progress line(std::string_view text);
  Progress request_line(std::string_view text);
  Progress header(std::string_view text);
  Progress end_of_head();
  Progress after_head();
  Progress body(std::string_view& bytes);  // or the inside of a chunk
  Progress chunk_size(std::string_view text);
  Progress trailer(std::string_view text);

  // Takes up to the end of the line, and goes on with it if that is there.
  Progress take_line(std::string_view& bytes);
  // Of a line that has this many bytes, or will have more.
  MaybeRefusal check_line_length(std::size_t length) const;
  Progress refuse(const Refusal& refusal);

  const HeadLimits& limits_;
  State state_ = State::first_line;
  std::string partial_;  // a line whose end has not come
  std::string line_;     // one that came in pieces
  std::string authority_;
  std::size_t field_bytes_ = 0;  // of all headers; later of all chunk lines and trailers
  std::size_t body_limit_ = 0;
  std::uint64_t left_ = 0;  // of the body, or of the chunk
  Framing framing_;
  Refusal refusal_;
  HttpRequest request_;
};

}  // namespace longshore::wire
