#include "http/parse/request_reader.h"

#include <algorithm>
#include <utility>

#include "http/parse/characters.h"
#include "http/parse/request_line.h"

namespace longshore::wire {
namespace {

constexpr std::size_t size_digits_max = 16;
constexpr std::size_t extension_bytes_max = 256;         // of one chunk
constexpr std::size_t extensions_bytes_max = 16 * 1024;  // of all chunks
constexpr std::size_t trailer_bytes_max = 8 * 1024;
// Larger bodies get their memory as they arrive, since the declared size may be false.
constexpr std::uint64_t reserved_bytes_max = 64 * 1024;

MaybeRefusal split_header(std::string_view text, std::string_view& name, std::string_view& value) {
  if (text.front() == ' ' || text.front() == '\t') {
    return bad_request("Obsolete line folding in a header is not supported");
  }
  const std::size_t colon = text.find(':');
  name = text.substr(0, std::min(colon, text.size()));
  if (colon == std::string_view::npos || name.empty() || !consists_of(name, characters::token)) {
    return bad_request("Invalid header name");
  }
  value = trimmed(text.substr(colon + 1));
  if (!consists_of(value, characters::value)) {
    return bad_request("Invalid character in a header");
  }
  return {};
}

}  // namespace

void RequestReader::begin() {
  state_ = State::first_line;
  partial_.clear();
  authority_.clear();
  field_bytes_ = 0;
  body_limit_ = 0;
  left_ = 0;
  framing_ = {};
  request_ = {};
}

RequestReader::Progress RequestReader::feed(std::string_view& bytes) {
  if (state_ == State::head_told) {
    const Progress progress = after_head();
    if (progress != Progress::more) return progress;
  }
  while (!bytes.empty()) {
    const Progress progress = step(bytes);
    if (progress != Progress::more) return progress;
  }
  return Progress::more;
}

RequestReader::Progress RequestReader::step(std::string_view& bytes) {
  if (state_ == State::body || state_ == State::chunk) return body(bytes);
  return take_line(bytes);
}

RequestReader::Progress RequestReader::take_line(std::string_view& bytes) {
  // A client of another protocol may wait for a reply before it ends a line.
  if (state_ == State::first_line && partial_.empty() && bytes.front() != '\r' &&
      !consists_of(bytes.substr(0, 1), characters::token)) {
    return refuse(bad_request("This is not HTTP"));
  }
  const std::size_t end = bytes.find('\n');
  const std::size_t taken = std::min(end, bytes.size());
  if (MaybeRefusal refusal = check_line_length(partial_.size() + taken)) return refuse(*refusal);
  std::string_view text = bytes.substr(0, taken);
  if (end == std::string_view::npos) {
    partial_.append(text);
    bytes = {};
    return Progress::more;
  }
  bytes.remove_prefix(end + 1);
  if (!partial_.empty()) {
    partial_.append(text);
    line_.swap(partial_);
    partial_.clear();
    text = line_;
  }
  if (!text.ends_with('\r')) return refuse(bad_request("A line ends without a carriage return"));
  text.remove_suffix(1);
  return line(text);
}

MaybeRefusal RequestReader::check_line_length(std::size_t length) const {
  switch (state_) {
    case State::first_line:
    case State::request_line:
      if (length <= limits_.request_line_bytes) return {};
      return Refusal{"URI_TOO_LONG", "The request line is too long"};
    case State::headers:
      if (field_bytes_ + length <= limits_.header_bytes) return {};
      return Refusal{"HEADERS_TOO_LARGE", "The headers are too long"};
    case State::chunk_size:
      if (length <= size_digits_max + extension_bytes_max) return {};
      return bad_request("The size line of a chunk is too long");
    case State::chunk_end:
      if (length <= 1) return {};
      return bad_request("A chunk is longer than its declared size");
    default:
      if (field_bytes_ + length <= trailer_bytes_max) return {};
      return bad_request("The trailers are too long");
  }
}

RequestReader::Progress RequestReader::line(std::string_view text) {
  switch (state_) {
    case State::first_line:
      state_ = State::request_line;
      return text.empty() ? Progress::more : request_line(text);
    case State::request_line:
      return request_line(text);
    case State::headers:
      return text.empty() ? end_of_head() : header(text);
    case State::chunk_size:
      return chunk_size(text);
    case State::chunk_end:
      state_ = State::chunk_size;
      return Progress::more;
    default:
      return text.empty() ? Progress::whole : trailer(text);
  }
}

RequestReader::Progress RequestReader::request_line(std::string_view text) {
  RequestLine read;
  if (MaybeRefusal refusal = read_request_line(text, read)) return refuse(*refusal);
  request_.method = read.method;
  request_.target = std::move(read.target);
  authority_ = read.authority;
  framing_.http_1_1 = read.http_1_1;
  state_ = State::headers;
  return Progress::more;
}

RequestReader::Progress RequestReader::header(std::string_view text) {
  std::string_view name;
  std::string_view value;
  if (MaybeRefusal refusal = split_header(text, name, value)) return refuse(*refusal);
  if (request_.headers.size() == limits_.header_count) {
    return refuse({"HEADERS_TOO_LARGE", "Too many headers"});
  }
  if (request_.headers.empty()) request_.headers.reserve(8);
  request_.headers.push_back({std::string(name), std::string(value)});
  field_bytes_ += text.size() + 2;
  return Progress::more;
}

RequestReader::Progress RequestReader::end_of_head() {
  if (!authority_.empty()) {
    // An absolute target takes precedence over Host (RFC 9112, 3.2.2).
    for (HttpHeader& header : request_.headers) {
      if (equal_ignoring_case(header.name, "host")) header.value = authority_;
    }
  }
  if (MaybeRefusal refusal = read_framing(request_.headers, framing_)) return refuse(*refusal);
  field_bytes_ = 0;
  state_ = State::head_told;
  return Progress::head;
}

MaybeRefusal RequestReader::limit_body(std::size_t bytes) {
  body_limit_ = bytes;
  if (framing_.content_length <= bytes) return {};
  return Refusal{"TOO_LARGE", "The body exceeds the limit of this route"};
}

RequestReader::Progress RequestReader::after_head() {
  if (!has_body()) return Progress::whole;
  left_ = framing_.content_length;
  if (left_ <= reserved_bytes_max) request_.body.reserve(left_);
  state_ = framing_.chunked ? State::chunk_size : State::body;
  return Progress::more;
}

RequestReader::Progress RequestReader::body(std::string_view& bytes) {
  const std::size_t taken = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
  request_.body.append(bytes.substr(0, taken));
  bytes.remove_prefix(taken);
  left_ -= taken;
  if (left_ > 0) return Progress::more;
  if (state_ == State::body) return Progress::whole;
  state_ = State::chunk_end;
  return Progress::more;
}

RequestReader::Progress RequestReader::chunk_size(std::string_view text) {
  std::uint64_t size = 0;
  std::size_t digits = 0;
  for (; digits < text.size() && hex_digit(text[digits]) >= 0; ++digits) {
    if (digits == size_digits_max) return refuse(bad_request("A chunk size has too many digits"));
    size = size * 16 + static_cast<std::uint64_t>(hex_digit(text[digits]));
  }
  const std::string_view extension = text.substr(digits);
  if (digits == 0 || !(extension.empty() || extension.front() == ';')) {
    return refuse(bad_request("A chunk does not begin with its size"));
  }
  // No quoted values: some parsers read an unclosed quote beyond the end of the line.
  if (!consists_of(extension, characters::extension)) {
    return refuse(bad_request("Unsupported chunk extension; use names and unquoted values"));
  }
  field_bytes_ += extension.size();
  if (field_bytes_ > extensions_bytes_max) {
    return refuse(bad_request("Too many chunk extensions"));
  }
  if (size > body_limit_ - request_.body.size()) {
    return refuse({"TOO_LARGE", "The body exceeds the limit of this route"});
  }
  left_ = size;
  state_ = size == 0 ? State::trailers : State::chunk;
  if (size == 0) field_bytes_ = 0;
  return Progress::more;
}

// Validated and ignored: a trailer must not change the headers.
RequestReader::Progress RequestReader::trailer(std::string_view text) {
  std::string_view name;
  std::string_view value;
  if (MaybeRefusal refusal = split_header(text, name, value)) return refuse(*refusal);
  for (const std::string_view framing : {"host", "content-length", "transfer-encoding"}) {
    if (equal_ignoring_case(name, framing)) {
      return refuse(bad_request("This header is not allowed as a trailer"));
    }
  }
  field_bytes_ += text.size() + 2;
  return Progress::more;
}

RequestReader::Progress RequestReader::refuse(const Refusal& refusal) {
  refusal_ = refusal;
  return Progress::refused;
}

}  // namespace longshore::wire
