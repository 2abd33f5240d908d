// What a request's headers say about how it is to be read and answered: where its body ends, and
// whether the connection goes on. Everything by which two readers of the same bytes could come to
// see different requests is refused.
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
  bool expects_continue = false;  // the body is sent once we ask for it
};

// `framing.http_1_1` is given, the rest is found out.
MaybeRefusal read_framing(const std::vector<HttpHeader>& headers, Framing& framing);

}  // namespace longshore::wire
