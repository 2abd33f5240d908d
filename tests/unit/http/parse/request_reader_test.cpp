#include "http/parse/request_reader.h"

#include <gtest/gtest.h>

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "unit/http/hostile_cases.h"

namespace longshore::wire {
namespace {

namespace beast = boost::beast;
using Progress = RequestReader::Progress;

constexpr std::size_t body_bytes_max = 1024;
const HeadLimits limits;

struct Outcome {
  std::vector<HttpRequest> requests;
  std::string_view refusal;  // why it was refused, if it was
};

// Feeds the bytes in pieces of `size` until the request is refused or no bytes are left.
Outcome read_all(std::string_view bytes, std::size_t size) {
  RequestReader reader(limits);
  reader.begin();
  Outcome outcome;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    std::string_view piece = bytes.substr(at, size);
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
      reader.begin();
    }
  }
  return outcome;
}

std::vector<HostileCase> cases() { return read_hostile_cases("tests/unit/http/hostile.txt"); }

TEST(RequestReader, ReadsTheSameInPiecesOfAnySize) {
  for (const HostileCase& hostile : cases()) {
    SCOPED_TRACE(hostile.title);
    const Outcome whole = read_all(hostile.bytes, hostile.bytes.size() + 1);
    for (const std::size_t size : {1, 2, 3, 7, 64}) {
      SCOPED_TRACE(size);
      const Outcome cut = read_all(hostile.bytes, size);
      EXPECT_EQ(cut.refusal, whole.refusal);
      ASSERT_EQ(cut.requests.size(), whole.requests.size());
      for (std::size_t n = 0; n < cut.requests.size(); ++n) {
        EXPECT_EQ(cut.requests[n].method, whole.requests[n].method);
        EXPECT_EQ(cut.requests[n].target, whole.requests[n].target);
        EXPECT_EQ(cut.requests[n].body, whole.requests[n].body);
        EXPECT_EQ(cut.requests[n].headers.size(), whole.requests[n].headers.size());
      }
    }
  }
}

using BeastParser = beast::http::request_parser<beast::http::string_body>;

// How many bytes Beast consumed for one request; none if it refuses them.
std::size_t beast_reads(BeastParser& parser, std::string_view bytes) {
  parser.eager(true);
  parser.header_limit(64 * 1024);
  beast::error_code failure;
  const std::size_t taken = parser.put(boost::asio::buffer(bytes), failure);
  return failure || !parser.is_done() ? 0 : taken;
}

void expect_equal(const HttpRequest& ours,
                  const beast::http::request<beast::http::string_body>& other) {
  EXPECT_EQ(ours.method, std::string_view(other.method_string()));
  EXPECT_EQ(ours.body, other.body());
  const std::string_view target(other.target());
  EXPECT_TRUE(target.ends_with(ours.target) || ours.target == "/" || ours.target == "/?q")
      << target;
  std::size_t n = 0;
  for (const auto& field : other) {
    // Beast adds the trailers at the end.
    if (n == ours.headers.size()) break;
    EXPECT_EQ(ours.headers[n].name, std::string_view(field.name_string()));
    if (ours.headers[n].name != "Host") {
      EXPECT_EQ(ours.headers[n].value, std::string_view(field.value()));
    }
    ++n;
  }
  EXPECT_EQ(n, ours.headers.size());
}

// A second opinion: every request that we accept, Beast reads the same way. (Beast also accepts
// requests that we must refuse.)
TEST(RequestReader, AcceptsOnlyRequestsThatBeastReadsTheSameWay) {
  std::size_t compared = 0;
  for (const HostileCase& hostile : cases()) {
    SCOPED_TRACE(hostile.title);
    std::string_view left = hostile.bytes;
    for (const HttpRequest& ours : read_all(hostile.bytes, hostile.bytes.size() + 1).requests) {
      // Beast does not accept an empty line before a request.
      if (left.starts_with("\r\n")) left.remove_prefix(2);
      BeastParser parser;
      const std::size_t taken = beast_reads(parser, left);
      ASSERT_GT(taken, 0u);
      expect_equal(ours, parser.get());
      left.remove_prefix(taken);
      ++compared;
    }
  }
  EXPECT_GE(compared, 50u);
}

TEST(RequestReader, TheHostOfAnAbsoluteTargetReplacesTheHostHeader) {
  const Outcome outcome =
      read_all("GET http://example.org:80/p HTTP/1.1\r\nHost: other\r\n\r\n", 1000);
  ASSERT_EQ(outcome.requests.size(), 1u);
  EXPECT_EQ(outcome.requests[0].header("host"), "example.org:80");
  EXPECT_EQ(outcome.requests[0].target, "/p");
}

TEST(RequestReader, ReportsTheHeadBeforeTheBody) {
  RequestReader reader(limits);
  reader.begin();
  std::string_view bytes = "POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 5\r\n\r\nhello";
  ASSERT_EQ(reader.feed(bytes), Progress::head);
  EXPECT_EQ(bytes, "hello");
  EXPECT_EQ(reader.framing().content_length, 5u);
  EXPECT_FALSE(reader.limit_body(5));
  EXPECT_TRUE(reader.limit_body(4));
  reader.limit_body(5);
  EXPECT_EQ(reader.feed(bytes), Progress::whole);
  EXPECT_EQ(reader.request().body, "hello");
}

TEST(RequestReader, FindsHeadersInAnyCase) {
  const Outcome outcome =
      read_all("GET / HTTP/1.1\r\nHost: h\r\nX-Twice: first\r\nx-tWICE: second\r\n\r\n", 1000);
  ASSERT_EQ(outcome.requests.size(), 1u);
  EXPECT_EQ(outcome.requests[0].header("x-twice"), "first");
  EXPECT_EQ(outcome.requests[0].header("x-never"), "");
}

}  // namespace
}  // namespace longshore::wire
