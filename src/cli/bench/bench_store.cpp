#include "cli/bench/bench_target.h"
#include "longshore/open.h"
#include "server/settings/rule_options.h"

namespace longshore {
namespace {

class Embedded final : public BenchTarget {
 public:
  Embedded(Longshore opened, BenchJobs jobs)
      : opened_(std::move(opened)),
        client_(opened_.client()),
        leases_(opened_.leases()),
        jobs_(std::move(jobs)) {}

  Result<Nothing> enqueue(int jobs) override {
    const JobRequest request{
        .type = bench_job_type, .payload = jobs_.payload, .options = {.queue = jobs_.queue}};
    const auto enqueued = client_.enqueue_all({static_cast<std::size_t>(jobs), request});
    if (!enqueued) return enqueued.error();
    return Nothing();
  }

  Result<int> drain(int jobs) override {
    Claim claim;
    claim.worker = "bench";
    claim.queues = {jobs_.queue};
    claim.limit = jobs;
    const Result<std::vector<Lease>> leases = leases_->claim(std::move(claim), Duration());
    if (!leases) return leases.error();
    std::vector<Command> words;
    for (const Lease& lease : *leases) {
      Complete complete;
      complete.job = lease.job;
      complete.token = lease.token;
      complete.result = "null";
      words.emplace_back(std::move(complete));
    }
    if (words.empty()) return 0;
    const auto settled = leases_->tell(std::move(words));
    if (!settled) return settled.error();
    return static_cast<int>(leases->size());
  }

 private:
  Longshore opened_;
  Client client_;
  std::shared_ptr<Leases> leases_;
  const BenchJobs jobs_;
};

}  // namespace

Result<std::unique_ptr<BenchTarget>> bench_store(const Settings& settings, BenchJobs jobs) {
  Result<Rules> rules = rules_of(settings);
  if (!rules) return rules.error();
  Result<Longshore> opened = open(settings.text("store"), {.rules = std::move(*rules)});
  if (!opened) return opened.error();
  return std::unique_ptr<BenchTarget>(
      std::make_unique<Embedded>(std::move(*opened), std::move(jobs)));
}

}  // namespace longshore
