// An incremental HTTP request parser, independent of sockets.
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
    more,     // all bytes were consumed; the request is incomplete
    head,     // returned once, before the body: now is the time for limit_body
    whole,    // request() is complete; remaining bytes belong to the next one
    refused,  // refusal() says why; remaining bytes cannot be parsed
  };

  // `limits` must outlive the reader.
  explicit RequestReader(const HeadLimits& limits) : limits_(limits) {}

  void begin();
  // Consumes the bytes of this request from the front of `bytes`, up to the next Progress to
  // report.
  // REQUIRES: begin() since whole or refused.
  Progress feed(std::string_view& bytes);
  // Refuses a larger body: at once if its size is declared, else when it exceeds the limit.
  MaybeRefusal limit_body(std::size_t bytes);

  HttpRequest& request() { return request_; }
  const Framing& framing() const { return framing_; }
  const Refusal& refusal() const { return refusal_; }
  bool in_body() const { return state_ > State::head_told; }
  bool has_body() const { return framing_.chunked || framing_.content_length > 0; }

 private:
  enum class State {
    first_line,  // one empty line before it is ignored
    request_line,
    headers,
    head_told,
    body,
    chunk_size,
    chunk,
    chunk_end,  // the line end after the data
    trailers,
  };

  // Each returns `more` if there is nothing to report.
  Progress step(std::string_view& bytes);
  Progress line(std::string_view text);
  Progress request_line(std::string_view text);
  Progress header(std::string_view text);
  Progress end_of_head();
  Progress after_head();
  Progress body(std::string_view& bytes);  // or the data of a chunk
  Progress chunk_size(std::string_view text);
  Progress trailer(std::string_view text);

  // Consumes up to the end of the line, and parses the line if it is complete.
  Progress take_line(std::string_view& bytes);
  // For a line of this many bytes, or more.
  MaybeRefusal check_line_length(std::size_t length) const;
  Progress refuse(const Refusal& refusal);

  const HeadLimits& limits_;
  State state_ = State::first_line;
  std::string partial_;  // an incomplete line
  std::string line_;     // a line assembled from several pieces
  std::string authority_;
  std::size_t field_bytes_ = 0;  // of all headers; later of all chunk size lines and trailers
  std::size_t body_limit_ = 0;
  std::uint64_t left_ = 0;  // remaining bytes of the body or chunk
  Framing framing_;
  Refusal refusal_;
  HttpRequest request_;
};

}  // namespace longshore::wire
