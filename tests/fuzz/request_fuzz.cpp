// Arbitrary bytes through the reader of requests. It must come to the same end however the bytes
// are cut, promise of a request what exchange.h promises, and accept nothing that Beast does not
// take for the same request.
#include <algorithm>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstddef>
#include <cstdint>

#include "core/assert.h"
#include "http/parse/characters.h"
#include "http/parse/request_reader.h"

namespace {

using namespace longshore;
using namespace longshore::wire;
namespace http = boost::beast::http;
using Progress = RequestReader::Progress;
using BeastParser = http::request_parser<http::string_body>;

constexpr std::size_t body_bytes_max = 512;
constexpr HeadLimits limits{.request_line_bytes = 256, .header_bytes = 1024, .header_count = 20};

struct Outcome {
  std::vector<HttpRequest> requests;
  std::vector<std::size_t> ends;  // of each request, counted from the first byte
  std::string_view refusal;
};

Outcome read_all(std::string_view bytes, std::size_t size) {
  RequestReader reader(limits);
  reader.begin();
  Outcome outcome;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    std::string_view piece = bytes.substr(at, size);
    const std::size_t piece_end = at + piece.size();
    for (Progress progress{}; (progress = reader.feed(piece)) != Progress::more;) {
      MaybeRefusal refusal;
      if (progress == Progress::head) refusal = reader.limit_body(body_bytes_max);
      if (progress == Progress::refused) refusal = reader.refusal();
      if (refusal) {
        outcome.refusal = refusal->code;
        return outcome;
      }
      if (progress != Progress::whole) continue;
      outcome.requests.push_back(std::move(reader.request()));
      outcome.ends.push_back(piece_end - piece.size());
      reader.begin();
    }
    LONGSHORE_ASSERT(piece.empty(), "all is taken where there is nothing to tell");
  }
  return outcome;
}

void check_promises(const HttpRequest& request) {
  LONGSHORE_ASSERT(!request.method.empty() && consists_of(request.method, characters::token));
  LONGSHORE_ASSERT(request.target.starts_with('/') || request.target == "*");
  LONGSHORE_ASSERT(consists_of(request.target, characters::target));
  LONGSHORE_ASSERT(request.body.size() <= body_bytes_max);
  LONGSHORE_ASSERT(request.headers.size() <= limits.header_count);
  for (const HttpHeader& header : request.headers) {
    LONGSHORE_ASSERT(!header.name.empty() && consists_of(header.name, characters::token));
    LONGSHORE_ASSERT(consists_of(header.value, characters::value));
  }
}

void check_equal(const Outcome& a, const Outcome& b) {
  LONGSHORE_ASSERT(a.refusal == b.refusal, "however it is cut");
  LONGSHORE_ASSERT(a.ends == b.ends, "however it is cut");
  for (std::size_t n = 0; n < a.requests.size(); ++n) {
    LONGSHORE_ASSERT(a.requests[n].method == b.requests[n].method);
    LONGSHORE_ASSERT(a.requests[n].target == b.requests[n].target);
    LONGSHORE_ASSERT(a.requests[n].body == b.requests[n].body);
    LONGSHORE_ASSERT(a.requests[n].headers.size() == b.requests[n].headers.size());
  }
}

// Where Beast is the stricter, and nothing depends on it.
bool is_harmless(const boost::beast::error_code& failure) {
  return failure == http::error::bad_chunk_extension ||  // we pass over extensions unread
         failure == http::error::bad_value;              // a list of words in Connection
}

void check_with_beast(const HttpRequest& ours, std::string_view bytes) {
  if (bytes.starts_with("\r\n")) bytes.remove_prefix(2);
  BeastParser parser;
  parser.eager(true);
  boost::beast::error_code failure;
  const std::size_t taken = parser.put(boost::asio::buffer(bytes), failure);
  if (is_harmless(failure)) return;
  LONGSHORE_ASSERT(!failure && parser.is_done() && taken == bytes.size(), "Beast sees one request");
  LONGSHORE_ASSERT(ours.method == std::string_view(parser.get().method_string()));
  LONGSHORE_ASSERT(ours.body == parser.get().body());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const Outcome whole = read_all(bytes, bytes.size() + 1);
  check_equal(whole, read_all(bytes, 1 + data[0] % 64));
  std::size_t begin = 0;
  for (std::size_t n = 0; n < whole.requests.size(); ++n) {
    check_promises(whole.requests[n]);
    check_with_beast(whole.requests[n], bytes.substr(begin, whole.ends[n] - begin));
    begin = whole.ends[n];
  }
  return 0;
}
