// A handler that sends its jobs to a service over HTTP and goes by the answer.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "client/delivery/webhook.h"
#include "client/http/outgoing.h"
#include "longshore/worker.h"

namespace longshore {

struct PushOptions {
  std::string url;
  // Sends the request that the job was made from: its method, headers and body, and its path and
  // query after the URL's own path. A job that was not made from one is posted as any other.
  bool replay = false;
  std::string secret_name;  // empty: what is sent is not signed
};

// What handlers share that send something.
struct WebhookSender {
  std::shared_ptr<Outgoing> outgoing;  // by all of them
  Secrets secrets;
  std::function<Instant()> now;  // of the wall, for signatures and dates
};

// Posts the payload with `Idempotency-Key: <jobId>` and `Longshore-Fence`. 2xx is success with the
// body as the result, 202 hands the job off; 408, 425, 429 and 5xx are tried again, after what
// Retry-After says; no answer is tried again too, and anything else fails for good. Errc::invalid
// if the URL may not be asked, or if there is no such secret or it may not sign for the URL.
Result<Handler> push_handler(const std::shared_ptr<const WebhookSender>& postman,
                             PushOptions options);

// What an answer means for the job; `now` is the wall's, for a Retry-After that names a date.
Ending ending_of(const HttpReply& reply, const std::string& from, Instant now);
// What the lack of one means.
Ending ending_of(const Error& error);

// Seconds, or a date; nothing if it is neither. At most 30 days.
std::optional<Duration> retry_after(const HttpReply& reply, Instant now);

}  // namespace longshore
