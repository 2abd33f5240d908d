// The leases of a server across the network: what a worker needs to run far from the store.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "client/http/http_client.h"
#include "client/server/server_clock.h"
#include "core/ids/random.h"
#include "core/sync/mutex.h"
#include "longshore/leases.h"

namespace longshore {

// Safe to share between threads. A claim whose answer is lost is asked for again under the same
// id, so that its jobs are not held by nobody until their leases end.
class ServerLeases final : public Leases {
 public:
  // `name` is the worker's wherever it gives none itself.
  ServerLeases(std::shared_ptr<HttpClient> client, std::string name,
               std::unique_ptr<Random> random);

  Result<Turned> turn(Turn turn, std::stop_token stop) override;
  Instant now() override;
  void wait_until(Instant at, std::stop_token stop) override;

 private:
  Result<HttpReply> send(const HttpCall& call, const std::stop_token& stop);
  Result<std::vector<Verdict>> say(const std::vector<Command>& words);
  Result<std::vector<Verdict>> say_batch(const std::vector<const Command*>& words);
  std::optional<Error> say_one(const Command& word, Verdict& verdict);
  Result<std::vector<Lease>> ask(Claim claim, Duration wait, const std::stop_token& stop);
  void introduce(const SeeWorkers& workers);
  RequestId new_id();

  const std::shared_ptr<HttpClient> client_;
  const std::string name_;
  ServerClock clock_;

  Mutex mutex_;
  // Guarded by mutex_.
  const std::unique_ptr<Random> random_;
  std::optional<WorkerInfo> info_ LONGSHORE_GUARDED_BY(mutex_);  // goes with every claim
};

}  // namespace longshore
