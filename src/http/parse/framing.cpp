#include "http/parse/framing.h"

#include <charconv>

#include "http/parse/characters.h"

namespace longshore::wire {
namespace {

// The headers that decide the framing of a request.
struct Seen {
  const std::string* host = nullptr;
  const std::string* length = nullptr;
  const std::string* encoding = nullptr;
  bool repeated = false;  // one of them was repeated
  bool close = false;
  bool keep_alive = false;
  bool expects_continue = false;
};

void read_connection(std::string_view value, Seen& seen) {
  while (!value.empty()) {
    const std::size_t comma = std::min(value.find(','), value.size());
    const std::string_view word = trimmed(value.substr(0, comma));
    seen.close = seen.close || equal_ignoring_case(word, "close");
    seen.keep_alive = seen.keep_alive || equal_ignoring_case(word, "keep-alive");
    value.remove_prefix(std::min(comma + 1, value.size()));
  }
}

void see(const HttpHeader& header, Seen& seen) {
  const auto once = [&](const std::string*& place) {
    seen.repeated = seen.repeated || place != nullptr;
    place = &header.value;
  };
  switch (header.name.size()) {
    case 4:
      if (equal_ignoring_case(header.name, "host")) once(seen.host);
      break;
    case 6:
      if (equal_ignoring_case(header.name, "expect")) {
        seen.expects_continue = equal_ignoring_case(header.value, "100-continue");
      }
      break;
    case 10:
      if (equal_ignoring_case(header.name, "connection")) read_connection(header.value, seen);
      break;
    case 14:
      if (equal_ignoring_case(header.name, "content-length")) once(seen.length);
      break;
    case 17:
      if (equal_ignoring_case(header.name, "transfer-encoding")) once(seen.encoding);
      break;
    default:
      break;
  }
}

MaybeRefusal read_length(const std::string& text, Framing& framing) {
  const char* end = text.data() + text.size();
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits || std::from_chars(text.data(), end, framing.content_length).ec != std::errc()) {
    return bad_request("Content-Length must be a number");
  }
  return {};
}

MaybeRefusal read_encoding(const std::string& text, const Seen& seen, Framing& framing) {
  if (seen.length != nullptr) {
    return bad_request("Content-Length and Transfer-Encoding exclude each other");
  }
  if (!framing.http_1_1) return bad_request("Transfer-Encoding requires HTTP/1.1");
  if (!equal_ignoring_case(text, "chunked")) {
    return bad_request("Unsupported Transfer-Encoding; only chunked is supported");
  }
  framing.chunked = true;
  return {};
}

}  // namespace

MaybeRefusal read_framing(const std::vector<HttpHeader>& headers, Framing& framing) {
  Seen seen;
  for (const HttpHeader& header : headers) see(header, seen);
  if (seen.repeated) {
    return bad_request("Host, Content-Length or Transfer-Encoding is repeated");
  }
  if (seen.host == nullptr && framing.http_1_1) return bad_request("The Host header is missing");
  if (seen.host != nullptr && (seen.host->empty() || !consists_of(*seen.host, characters::host))) {
    return bad_request("Invalid Host header");
  }
  framing.keep_alive = !seen.close && (framing.http_1_1 || seen.keep_alive);
  framing.expects_continue = seen.expects_continue && framing.http_1_1;
  if (seen.encoding != nullptr) return read_encoding(*seen.encoding, seen, framing);
  if (seen.length != nullptr) return read_length(*seen.length, framing);
  return {};
}

}  // namespace longshore::wire
