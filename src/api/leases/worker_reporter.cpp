#include "api/leases/worker_reporter.h"

#include "engine/engine.h"

namespace longshore {
namespace {

constexpr Duration report_every = Duration::seconds(5);
constexpr std::size_t workers_remembered = 20'000;

}  // namespace

void WorkerReporter::report_seen(Engine& engine, WorkerInfo info, bool has_details, Instant now,
                                 Done done) {
  std::shared_ptr<Report> report;
  {
    MutexLock lock(mutex_);
    // Forgetting a worker costs one more report.
    if (seen_.size() >= workers_remembered) seen_.clear();
    Seen& seen = seen_[{info.ns, info.worker}];
    if (must_report(seen, info, has_details, now)) {
      report = std::make_shared<Report>();
      report->info = info;
      report->at = now;
      seen.info = info;
      seen.report = report;
    }
    // Waits for the pending report, its own or an earlier one.
    if (seen.report) seen.report->waiting.push_back(std::exchange(done, nullptr));
  }
  if (done) done();
  if (!report) return;
  engine.submit(SeeWorkers{{std::move(info)}},
                [self = shared_from_this(), report](const Result<Answered>& answer) {
                  self->answered(report, answer.ok());
                });
}

bool WorkerReporter::must_report(Seen& seen, WorkerInfo& info, bool has_details, Instant now) {
  mutex_.assert_held();
  const bool is_new = seen.info.worker.empty();
  if (!has_details && !is_new) {
    info.slots = seen.info.slots;
    info.host = seen.info.host;
    info.version = seen.info.version;
  }
  if (is_new || seen.info != info) return true;
  return !seen.report && now >= seen.reported_at + report_every;
}

// After a failed report, the worker's next poll reports it again.
void WorkerReporter::answered(const std::shared_ptr<Report>& report, bool learned) {
  std::vector<Done> waiting;
  {
    MutexLock lock(mutex_);
    waiting = std::move(report->waiting);
    const auto seen = seen_.find({report->info.ns, report->info.worker});
    if (seen != seen_.end() && seen->second.report == report) {
      seen->second.report = nullptr;
      seen->second.reported_at = learned ? report->at : Instant::millis(0);
    }
  }
  for (const Done& done : waiting) done();
}

}  // namespace longshore
