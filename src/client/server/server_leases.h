// The leases of a remote server: what a worker needs to run elsewhere.
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

// Safe to share between threads. A claim whose response is lost is repeated with the same id, so
// that its jobs do not stay leased unused.
class ServerLeases final : public Leases {
 public:
  // `name` is used for workers that have none.
  ServerLeases(std::shared_ptr<HttpClient> client, std::string name,
               std::unique_ptr<Random> random);

  Result<Turned> turn(Turn turn, std::stop_token stop) override;
  Instant now() override;
  void wait_until(Instant at, std::stop_token stop) override;

 private:
  Result<HttpReply> send(const HttpCall& call, const std::stop_token& stop);
  Result<std::vector<Verdict>> send_all(const std::vector<Command>& commands);
  Result<std::vector<Verdict>> send_batch(const std::vector<const Command*>& commands);
  std::optional<Error> send_one(const Command& command, Verdict& verdict);
  Result<std::vector<Lease>> poll_leases(Claim claim, Duration wait, const std::stop_token& stop);
  void remember_workers(const SeeWorkers& workers);
  RequestId new_id();

  const std::shared_ptr<HttpClient> client_;
  const std::string name_;
  ServerClock clock_;

  Mutex mutex_;
  // Guarded by mutex_.
  const std::unique_ptr<Random> random_;
  std::optional<WorkerInfo> info_ LONGSHORE_GUARDED_BY(mutex_);  // sent with every claim
};

}  // namespace longshore
