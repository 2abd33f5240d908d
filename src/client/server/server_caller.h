// Calls to one server, retried until it responds. Every call must be idempotent: reads are, and
// commands carry an id.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "client/http/http_client.h"
#include "core/ids/random.h"
#include "core/sync/mutex.h"
#include "longshore/error.h"
#include "longshore/time.h"

namespace longshore {

// Safe to share between threads.
class ServerCaller {
 public:
  // A call without a response, or with a response that says "retry later", is retried for
  // `retry_for`.
  ServerCaller(std::shared_ptr<HttpClient> client, Duration retry_for,
               std::unique_ptr<Random> random);

  // Returns a 2xx response. Otherwise the server's error, as the same Error that a local store
  // would return; Errc::unavailable if there was no response in time, Errc::refused once stopped.
  Result<HttpReply> ask(const HttpCall& call, const std::stop_token& stop = {});
  // Any response, without retries.
  Result<HttpReply> ask_once(const HttpCall& call, const std::stop_token& stop = {});

  // The Error for a response that is not 2xx.
  Error error_of(const HttpReply& reply) const;
  // Whether the same call may succeed later.
  static bool is_transient(const Error& error);

  // Waits before the next try, less if stopped. False, without waiting, if `deadline` comes first.
  bool pause(int tries, Duration least, Instant deadline, const std::stop_token& stop = {});

  // Aborts calls in progress; later ones are refused. Idempotent.
  void stop() { stopping_.request_stop(); }
  std::stop_token stopped() const { return stopping_.get_token(); }
  std::optional<Error> stopped_error() const;

  const std::string& url() const { return client_->url(); }
  Duration retry_for() const { return retry_for_; }
  const std::shared_ptr<HttpClient>& shared_http() const { return client_; }

  // Monotonic time.
  static Instant now();

  template <class Make>
  auto with_random(const Make& make) {
    MutexLock lock(mutex_);
    return make(*random_);
  }

 private:
  const std::shared_ptr<HttpClient> client_;
  const Duration retry_for_;
  std::stop_source stopping_;

  Mutex mutex_;
  const std::unique_ptr<Random> random_;  // guarded by mutex_
};

}  // namespace longshore
