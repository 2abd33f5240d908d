#include "longshore/client.h"

#include <algorithm>
#include <utility>

#include "runtime/new_job.h"
#include "runtime/node.h"

namespace longshore {
namespace {

// How long a change made by another node may go unnoticed.
constexpr Duration look_again = Duration::seconds(1);

Error ended_badly(const JobRecord& record) {
  const bool canceled = record.job.state == State::canceled;
  std::string message = "job " + to_text(record.job.id) + (canceled ? " was canceled" : " failed");
  if (record.error) message += ": " + record.error->code + " " + record.error->message;
  return {Errc::refused, std::move(message), canceled ? Code::job_canceled : Code::job_failed};
}

}  // namespace

Client::Client(std::shared_ptr<Node> node) : node_(std::move(node)) {}

Result<EnqueuedJob> Client::enqueue(JobRequest request) const {
  std::vector<JobRequest> one;
  one.push_back(std::move(request));
  Result<std::vector<EnqueuedJob>> enqueued = enqueue_all(std::move(one));
  if (!enqueued) return enqueued.error();
  return enqueued->front();
}

Result<std::vector<EnqueuedJob>> Client::enqueue_all(std::vector<JobRequest> requests) const {
  if (auto error = node_->out_of_service()) return *error;
  Enqueue command{.ns = node_->options().ns};
  command.jobs.reserve(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const JobId id = node_->ids().job(node_->time().wall().now());
    Result<NewJob> job = new_job(std::move(requests[i]), id, node_->options(), node_->rules());
    if (!job) {
      Error error = job.error();
      if (requests.size() > 1) error.message = "jobs[" + std::to_string(i) + "]: " + error.message;
      return error;
    }
    command.jobs.push_back(std::move(*job));
  }
  Result<Enqueued> enqueued = node_->ask_for<Enqueued>(std::move(command));
  if (!enqueued) return enqueued.error();
  return std::move(enqueued->jobs);
}

Result<JobRecord> Client::get(const JobId& id) const {
  if (auto error = node_->out_of_service()) return *error;
  return node_->catalog().get(node_->options().ns, id);
}

Result<JobRecord> Client::wait(const JobId& id, Duration longest) const {
  Timekeeper& time = node_->time();
  const Instant deadline = time.now() + longest;
  Alarm alarm(time);
  // Before the first look, so that no end falls between the two.
  const Watchers::Watch watch(node_->watchers(), id, alarm);
  while (true) {
    if (auto error = node_->out_of_service()) return *error;
    Result<Job> job = node_->catalog().glance(node_->options().ns, id);
    if (!job) return job.error();
    const Instant now = time.now();
    if (is_terminal(job->state) || now >= deadline) return get(id);
    const bool unseen_changes = node_->capabilities().shared;
    alarm.wait_until(unseen_changes ? std::min(deadline, now + look_again) : deadline);
  }
}

Result<std::string> Client::result(const JobId& id, Duration longest) const {
  Result<JobRecord> record = wait(id, longest);
  if (!record) return record.error();
  if (record->job.state == State::success) return record->result.value_or("null");
  if (is_terminal(record->job.state)) return ended_badly(*record);
  return Error{Errc::unavailable, "job " + to_text(id) + " has not ended yet; it is " +
                                      std::string(to_text(record->job.state))};
}

Result<Settled> Client::cancel(const JobId& id, bool force) const {
  return node_->ask_for<Settled>(Cancel{.ns = node_->options().ns, .job = id, .force = force});
}

Result<ListPage> Client::list(ListQuery query) const {
  if (auto error = node_->out_of_service()) return *error;
  if (query.ns.empty()) query.ns = node_->options().ns;
  return node_->catalog().list(query);
}

}  // namespace longshore
