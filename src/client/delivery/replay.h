// The request that a job was made from, sent once more to the service that answers it.
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

// To the service at `base`, whose path comes before the request's own. Headers that belong to one
// connection, that say who is asked or how long the body is, and that no line could hold are left
// out. Errc::invalid if the request is none that could be sent.
Result<Replayed> replay(const JobBody& body, const OutgoingUrl& base);

// Whether a header is about a connection or the message on it, and so nobody else's business.
bool is_hop_by_hop(std::string_view name);

}  // namespace longshore
