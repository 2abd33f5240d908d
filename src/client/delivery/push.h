// A handler that sends its jobs to a service over HTTP and settles them by the response.
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
  // Repeats the request that the job was created from: its method, headers and body, and its path
  // and query appended to the URL's path. Other jobs are posted.
  bool replay = false;
  std::string secret_name;  // empty: requests are not signed
};

// Shared by all handlers that send requests.
struct WebhookSender {
  std::shared_ptr<Outgoing> outgoing;  // by all of them
  Secrets secrets;
  std::function<Instant()> now;  // wall clock, for signatures and dates
};

// Posts the payload with `Idempotency-Key: <jobId>` and `Longshore-Fence`. 2xx is success with the
// body as the result, 202 hands the job off; 408, 425, 429 and 5xx are retried, after Retry-After
// if given; no response is retried too, and any other status fails the job for good. Errc::invalid
// if the URL is not allowed, or if the secret does not exist or may not sign for the URL.
Result<Handler> push_handler(const std::shared_ptr<const WebhookSender>& sender,
                             PushOptions options);

// The job's ending for a response; `now` is the wall clock, for a Retry-After that is a date.
Ending ending_of(const HttpReply& reply, const std::string& from, Instant now);
// The job's ending if there was no response.
Ending ending_of(const Error& error);

// Seconds or a date; nothing if it is neither. At most 30 days.
std::optional<Duration> retry_after(const HttpReply& reply, Instant now);

}  // namespace longshore
