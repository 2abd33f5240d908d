#include "server/handlers/stuck_jobs.h"

#include <algorithm>

#include "core/rules/settle.h"
#include "core/text/names.h"

namespace longshore {
namespace {

// Each scan is short; a long backlog takes several.
constexpr int look_at = 500;

}  // namespace

StuckJobs::StuckJobs(std::shared_ptr<Node> node, std::shared_ptr<PoolLeases> leases,
                     PoolDuties pool, Log& log)
    : node_(std::move(node)), leases_(std::move(leases)), pool_(std::move(pool)), log_(log) {}

void StuckJobs::start() {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      if (answers_for_stuck_jobs(*node_->rules())) look();
      leases_->wait_until(leases_->now() + node_->rules()->sweep_every, stop);
    }
  });
}

void StuckJobs::stop() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
}

void StuckJobs::look() {
  Catalog& catalog = node_->catalog();
  const Result<Instant> now = catalog.now();
  if (!now) return log_.debug(now.error().message);
  const Result<ListPage> page = catalog.list({.ns = node_->options().ns,
                                              .states = {{.state = State::queued}},
                                              .created_before = *now - node_->rules()->stuck_after,
                                              .limit = look_at,
                                              .before = seen_});
  if (!page) return log_.debug(page.error().message);
  seen_ = page->next;
  for (const auto& [kind, count] : sort_out(page->jobs, *now)) {
    if (Result<Nothing> failed = fail_all(kind, count); !failed) {
      log_.debug(failed.error().message);
    }
  }
}

// Counts the stuck jobs by queue and type. Skips jobs of the pool's own queues that have a handler:
// the pool claims them anyway.
std::map<StuckJobs::Kind, int> StuckJobs::sort_out(const std::vector<JobSummary>& jobs,
                                                   Instant now) {
  std::map<Kind, int> hopeless;
  for (const JobSummary& summary : jobs) {
    const Job& job = summary.job;
    const bool stuck = now - job.updated_at > node_->rules()->stuck_after;
    if (!stuck || is_reserved_job_type(job.type)) continue;
    if (!pool_.types.contains(job.type)) {
      hopeless[{job.queue, job.type}] += 1;
    } else if (!pool_.queues.contains(job.queue)) {
      leases_->add_late(job.queue);
    }
  }
  return hopeless;
}

// Only a running job can fail, so each job is claimed first.
Result<Nothing> StuckJobs::fail_all(const Kind& kind, int count) {
  const auto& [queue, type] = kind;
  Result<std::vector<Lease>> leases =
      leases_->claim({.worker = pool_.worker,
                      .queues = {queue},
                      .types = std::vector<std::string>{type},
                      .limit = std::min(count, node_->rules()->claim_limit),
                      .queued_for = node_->rules()->stuck_after},
                     Duration());
  if (!leases) return leases.error();
  if (leases->empty()) return Nothing();
  std::vector<Command> words;
  for (const Lease& lease : *leases) {
    words.emplace_back(Fail{
        .job = lease.job,
        .token = lease.token,
        .error = {
            .code = std::string(platform::no_handler),
            .message = "no worker started the job, and this server has no handler for " + type}});
  }
  Result<std::vector<Verdict>> told = leases_->tell(std::move(words));
  if (!told) return told.error();
  log_.warn(
      "NO_HANDLER",
      {{"jobType", type}, {"queue", queue}, {"count", static_cast<std::int64_t>(leases->size())}});
  return Nothing();
}

}  // namespace longshore
