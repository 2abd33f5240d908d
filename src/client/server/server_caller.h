// Calls to one server that are repeated until it answers. Every call sent through this may be
// repeated: reading changes nothing, and what changes something carries an id.
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
  // A call without an answer, or with one that says "later", is repeated for `retry_for`.
  ServerCaller(std::shared_ptr<HttpClient> client, Duration retry_for,
               std::unique_ptr<Random> random);

  // A 2xx answer. Otherwise what the server said, as the same Error that a store of this process
  // would answer; Errc::unavailable if there was no answer in time, Errc::refused once stopped.
  Result<HttpReply> ask(const HttpCall& call, const std::stop_token& stop = {});
  // Any answer, once: what ask() repeats.
  Result<HttpReply> ask_once(const HttpCall& call, const std::stop_token& stop = {});

  // What an answer that is not 2xx means.
  Error error_of(const HttpReply& reply) const;
  // Whether the same call may succeed later.
  static bool is_passing(const Error& error);

  // Waits before the next try; less if stopped. False, without waiting, if `deadline` is nearer.
  bool pause(int tries, Duration least, Instant deadline, const std::stop_token& stop = {});

  // Ends calls under way; later ones are refused. Idempotent.
  void stop() { stopping_.request_stop(); }
  std::stop_token stopped() const { return stopping_.get_token(); }
  std::optional<Error> out_of_service() const;

  const std::string& url() const { return client_->url(); }
  Duration retry_for() const { return retry_for_; }
  const std::shared_ptr<HttpClient>& shared_http() const { return client_; }

  // A time that never goes back.
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
