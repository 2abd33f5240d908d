// The JobService of a node in this process.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/job_service.h"
#include "runtime/node/node.h"

namespace longshore {

class NodeService final : public JobService {
 public:
  // Shared with leases, which may outlive this.
  explicit NodeService(std::shared_ptr<Node> node) : node_(std::move(node)) {}

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
  Catalog& catalog() override { return node_->catalog(); }
  const Capabilities& capabilities() const override { return node_->capabilities(); }
  void stop() override { node_->stop(); }

 private:
  void wait_for_change(Alarm& alarm, Instant deadline);

  const std::shared_ptr<Node> node_;
};

}  // namespace longshore
