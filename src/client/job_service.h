// The interface behind Client and Longshore: a node in this process (runtime/node/node_service.h)
// or a remote server (client/server/server_service.h). open() chooses by the URL.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "longshore/client.h"
#include "longshore/leases.h"
#include "longshore/store.h"

namespace longshore {

// Safe to share between threads. See Client for the results of each call.
class JobService {
 public:
  virtual ~JobService() = default;

  virtual Result<std::vector<EnqueuedJob>> enqueue(std::vector<JobRequest> requests) = 0;

  // FinishByKey, Cancel, Promote, Resolve or Redrive. The namespace, an id of zero and the actor
  // are filled in.
  virtual Result<Settled> act(Command command) = 0;

  virtual Result<JobRecord> get(const JobId& id) = 0;
  virtual Result<JobRecord> wait(const JobId& id, Duration longest) = 0;
  virtual Result<std::string> result(const JobId& id, Duration longest) = 0;
  virtual Result<std::int64_t> watch(const JobId& id, const Client::Seen& seen,
                                     const std::stop_token& stop, std::int64_t after) = 0;
  virtual Result<Job> find_by_key(const std::string& type, const std::string& key) = 0;
  virtual Result<ListPage> list(ListQuery query) = 0;

  virtual std::shared_ptr<Leases> leases() = 0;
  virtual Catalog& catalog() = 0;
  virtual const Capabilities& capabilities() const = 0;
  // Later calls are Errc::refused. Idempotent.
  virtual void stop() = 0;
};

// The errors of Client::result for a job that ended without a result, and for one that has not
// ended.
inline Error ended_badly(const JobId& id, bool canceled, const std::optional<JobError>& error) {
  std::string message = "job " + to_text(id) + (canceled ? " was canceled" : " failed");
  if (error) message += ": " + error->code + " " + error->message;
  return {Errc::refused, std::move(message), canceled ? Code::job_canceled : Code::job_failed};
}

inline Error not_ended_yet(const JobId& id, std::string_view where) {
  return {Errc::unavailable,
          "job " + to_text(id) + " has not ended yet; it is " + std::string(where)};
}

}  // namespace longshore
