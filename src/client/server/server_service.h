// The JobService of a remote server: what open() returns for an http URL.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "client/job_service.h"
#include "client/server/server_caller.h"
#include "core/ids/random.h"
#include "core/ids/uuid.h"
#include "longshore/open.h"

namespace longshore {

// REQUIRES: the URL begins with http:// or https://. See open() for the errors.
using MakeRandom = std::unique_ptr<Random> (*)();
Result<std::shared_ptr<JobService>> open_server(std::string_view url, const OpenOptions& options,
                                                MakeRandom make_random);

class ServerService final : public JobService {
 public:
  // `worker` is the name of workers that have none.
  ServerService(std::shared_ptr<ServerCaller> caller, MakeRandom make_random, std::string worker,
                Capabilities capabilities);

  Result<std::vector<EnqueuedJob>> enqueue(std::vector<JobRequest> requests) override;
  Result<Settled> act(Command command) override;
  Result<JobRecord> get(const JobId& id) override;
  Result<JobRecord> wait(const JobId& id, Duration longest) override;
  Result<std::string> result(const JobId& id, Duration longest) override;
  Result<std::int64_t> watch(const JobId& id, const Client::Seen& seen, const std::stop_token& stop,
                             std::int64_t after) override;
  Result<Job> find_by_key(const std::string& type, const std::string& key) override;
  Result<ListPage> list(ListQuery query) override;

  std::shared_ptr<Leases> leases() override;
  Catalog& catalog() override { return *catalog_; }
  const Capabilities& capabilities() const override { return capabilities_; }
  void stop() override { caller_->stop(); }

 private:
  Result<JobRecord> get_details(const JobId& id);
  Result<JobRecord> get_public(const JobId& id);
  Result<HttpReply> poll(const JobId& id, std::string_view of, Instant until);
  std::optional<Error> give_ids(std::vector<JobRequest>& requests);
  JobId new_job_id();
  RequestId new_request_id();

  // Constant after construction.
  const std::shared_ptr<ServerCaller> caller_;  // shared with leases, which may outlive this
  const MakeRandom make_random_;
  const std::string worker_;
  const Capabilities capabilities_;
  const std::unique_ptr<Catalog> catalog_;

  std::atomic<bool> sees_details_ =
      true;  // until the token's role turns out to lack the permission

  Mutex mutex_;
  // Guarded by mutex_.
  const std::unique_ptr<Random> random_;
  JobIds ids_ LONGSHORE_GUARDED_BY(mutex_);
};

}  // namespace longshore
