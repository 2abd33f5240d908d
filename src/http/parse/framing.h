// How a request's headers delimit it: where its body ends, and whether the connection stays open.
// Refuses everything that two parsers could read differently (request smuggling).
#pragma once

#include <cstdint>

#include "http/exchange.h"
#include "http/parse/refusal.h"

namespace longshore::wire {

struct Framing {
  bool http_1_1 = false;
  bool chunked = false;
  std::uint64_t content_length = 0;
  bool keep_alive = false;
  bool expects_continue = false;  // the client sends the body after 100 Continue
};

// `framing.http_1_1` is an input, the rest is output.
MaybeRefusal read_framing(const std::vector<HttpHeader>& headers, Framing& framing);

}  // namespace longshore::wire
