// Replays the request that a job was created from to another service.
#pragma once

#include <string>
#include <string_view>

#include "client/http/http_client.h"
#include "client/http/outgoing_url.h"
#include "longshore/error.h"
#include "longshore/job.h"

namespace longshore {

struct Replayed {
  std::string target;
  HttpCall call;
};

// To the service at `base`, whose path is the prefix of the request's path. Hop-by-hop headers,
// Host, Content-Length and headers that cannot be encoded are omitted. Errc::invalid if the stored
// request cannot be sent.
Result<Replayed> replay(const JobBody& body, const OutgoingUrl& base);

// Whether a header concerns one connection only (RFC 9110, 7.6.1) and must not be forwarded.
bool is_hop_by_hop(std::string_view name);

}  // namespace longshore
