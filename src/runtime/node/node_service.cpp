#include "runtime/node/node_service.h"

#include <algorithm>

#include "runtime/engine_leases.h"
#include "runtime/new_job.h"

namespace longshore {
namespace {

// The longest time until a change by another node is noticed.
constexpr Duration poll_interval = Duration::seconds(1);

// The library does not know its user.
void fill_in_actor(Command& command) {
  std::visit(
      []<class CommandType>(CommandType& one) {
        if constexpr (std::is_same_v<CommandType, Promote> ||
                      std::is_same_v<CommandType, Resolve>) {
          one.actor.name = "local";
        } else if constexpr (std::is_same_v<CommandType, Redrive>) {
          one.actor = Actor{.name = "local", .request_id = {}};
        }
      },
      command);
}

void fill_in_ids(Command& command, Node& node) {
  if (auto* finish = std::get_if<FinishByKey>(&command); finish && finish->id == RequestId()) {
    finish->id = node.ids().any<RequestId>();
  }
  if (auto* resolve = std::get_if<Resolve>(&command); resolve && resolve->id == RequestId()) {
    resolve->id = node.ids().any<RequestId>();
  }
  if (auto* redrive = std::get_if<Redrive>(&command)) {
    redrive->successor = node.ids().job(node.time().wall().now());
  }
}

void fill_in_namespace(Command& command, const std::string& ns) {
  std::visit(
      [&ns]<class CommandType>(CommandType& one) {
        if constexpr (requires { one.ns = ns; }) one.ns = ns;
      },
      command);
}

// Reports the transitions after `after`. False if `seen` wants no more.
bool report(const JobRecord& record, const Client::Seen& seen, std::int64_t& after) {
  for (const Transition& transition : record.history) {
    if (transition.seq <= after) continue;
    after = transition.seq;
    if (!seen(transition)) return false;
  }
  return true;
}

}  // namespace

Result<std::vector<EnqueuedJob>> NodeService::enqueue(std::vector<JobRequest> requests) {
  if (auto error = node_->out_of_service()) return *error;
  Enqueue command{.ns = node_->options().ns};
  command.jobs.reserve(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const JobId id = node_->ids().job(node_->time().wall().now());
    Result<NewJob> job = new_job(std::move(requests[i]), id, node_->options(), *node_->rules());
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

Result<Settled> NodeService::act(Command command) {
  fill_in_namespace(command, node_->options().ns);
  fill_in_ids(command, *node_);
  fill_in_actor(command);
  return node_->ask_for<Settled>(std::move(command));
}

Result<JobRecord> NodeService::get(const JobId& id) {
  if (auto error = node_->out_of_service()) return *error;
  return node_->catalog().get(node_->options().ns, id);
}

void NodeService::wait_for_change(Alarm& alarm, Instant deadline) {
  const bool unseen_changes = node_->capabilities().shared;
  const Instant soon = node_->time().now() + poll_interval;
  alarm.wait_until(unseen_changes ? std::min(deadline, soon) : deadline);
}

Result<JobRecord> NodeService::wait(const JobId& id, Duration longest) {
  Timekeeper& time = node_->time();
  const Instant deadline = time.now() + longest;
  Alarm alarm(time);
  // Before the first read, so that no change is missed in between.
  const Watchers::Watch watch(node_->watchers(), id, alarm, Watchers::Until::end);
  while (true) {
    if (auto error = node_->out_of_service()) return *error;
    Result<Job> job = node_->catalog().glance(node_->options().ns, id);
    if (!job) return job.error();
    if (is_terminal(job->state) || time.now() >= deadline) return get(id);
    wait_for_change(alarm, deadline);
  }
}

Result<std::string> NodeService::result(const JobId& id, Duration longest) {
  Result<JobRecord> record = wait(id, longest);
  if (!record) return record.error();
  const State state = record->job.state;
  if (state == State::success) return record->result.value_or("null");
  if (is_terminal(state)) return ended_badly(id, state == State::canceled, record->error);
  return not_ended_yet(id, to_text(state));
}

Result<std::int64_t> NodeService::watch(const JobId& id, const Client::Seen& seen,
                                        const std::stop_token& stop, std::int64_t after) {
  Alarm alarm(node_->time());
  const Watchers::Watch watch(node_->watchers(), id, alarm, Watchers::Until::move);
  const std::stop_callback wake(stop, [&alarm] { alarm.wake(); });
  while (!stop.stop_requested()) {
    if (auto error = node_->out_of_service()) return *error;
    Result<JobRecord> record = get(id);
    if (!record) return record.error();
    if (!report(*record, seen, after) || is_terminal(record->job.state)) break;
    wait_for_change(alarm, Instant::never());
  }
  return after;
}

Result<Job> NodeService::find_by_key(const std::string& type, const std::string& key) {
  if (auto error = node_->out_of_service()) return *error;
  return node_->catalog().find_by_key(node_->options().ns, type, key);
}

Result<ListPage> NodeService::list(ListQuery query) {
  if (auto error = node_->out_of_service()) return *error;
  if (query.ns.empty()) query.ns = node_->options().ns;
  return node_->catalog().list(query);
}

std::shared_ptr<Leases> NodeService::leases() { return std::make_shared<EngineLeases>(node_); }

}  // namespace longshore
