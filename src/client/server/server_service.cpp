#include "client/server/server_service.h"

#include <algorithm>
#include <utility>

#include "client/http/escape.h"
#include "client/server/job_watch.h"
#include "client/server/server_catalog.h"
#include "client/server/stoppable_leases.h"
#include "client/wire/job_wire.h"
#include "client/wire/members.h"
#include "client/wire/wire.h"
#include "core/rules/job_request.h"
#include "core/time/clock.h"

namespace longshore {
namespace {

constexpr Duration poll_max = Duration::seconds(50);  // the API waits up to 60 s
constexpr Duration margin = Duration::seconds(15);    // network latency of the response
constexpr int looks_max = 3;

bool has_ended(Status status) { return status != Status::pending && status != Status::running; }

Error with_index(Error error, std::size_t index, std::size_t count) {
  if (count > 1) error.message = "jobs[" + std::to_string(index) + "]: " + error.message;
  return error;
}

}  // namespace

ServerService::ServerService(std::shared_ptr<ServerCaller> caller, MakeRandom make_random,
                             std::string worker, Capabilities capabilities)
    : caller_(std::move(caller)),
      make_random_(make_random),
      worker_(std::move(worker)),
      capabilities_(std::move(capabilities)),
      catalog_(std::make_unique<ServerCatalog>(*this, *caller_)),
      random_(make_random()),
      ids_(*random_) {}

JobId ServerService::new_job_id() {
  SystemClock clock;
  MutexLock lock(mutex_);
  return ids_.next(clock.now());
}

RequestId ServerService::new_request_id() {
  MutexLock lock(mutex_);
  return random_id<RequestId>(*random_);
}

std::optional<Error> ServerService::give_ids(std::vector<JobRequest>& requests) {
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (auto fault = job_request_fault(requests[i])) {
      return with_index(std::move(*fault), i, requests.size());
    }
    if (!requests[i].options.id) requests[i].options.id = new_job_id();
  }
  return std::nullopt;
}

Result<std::vector<EnqueuedJob>> ServerService::enqueue(std::vector<JobRequest> requests) {
  if (auto error = caller_->stopped_error()) return *error;
  if (auto fault = give_ids(requests)) return *fault;
  const Result<HttpCall> call = call_for(requests);
  if (!call) return call.error();
  const Result<HttpReply> reply = caller_->ask(*call);
  if (!reply) return reply.error();
  return read_enqueued(*reply, requests);
}

Result<Settled> ServerService::act(Command command) {
  if (auto* finish = std::get_if<FinishByKey>(&command); finish && finish->id == RequestId()) {
    finish->id = new_request_id();
  }
  if (auto* resolve = std::get_if<Resolve>(&command); resolve && resolve->id == RequestId()) {
    resolve->id = new_request_id();
  }
  const Result<HttpCall> call = call_for_action(command);
  if (!call) return call.error();
  const Result<HttpReply> reply = caller_->ask(*call);
  if (!reply) return reply.error();
  Result<Settled> settled = read_action(*reply);
  if (settled && std::holds_alternative<Cancel>(command)) settled->asked = reply->status == 202;
  return settled;
}

// The two responses may show different versions of the job; then it retries.
Result<JobRecord> ServerService::get_details(const JobId& id) {
  const std::string path = "/jobs/" + to_text(id);
  for (int looks = 1;; ++looks) {
    const Result<HttpReply> details = caller_->ask({.path = path + "/details"});
    if (!details) return details.error();
    Result<JobRecord> record = read_details(*details);
    if (!record) return record;
    const Result<HttpReply> history = caller_->ask({.path = path + "/history"});
    if (!history) return history.error();
    const Result<bool> agree = add_history(*record, *history);
    if (!agree) return agree.error();
    if (*agree || looks == looks_max) return record;
  }
}

Result<JobRecord> ServerService::get_public(const JobId& id) {
  const std::string path = "/jobs/" + to_text(id);
  const Result<HttpReply> reply = caller_->ask({.path = path});
  if (!reply) return reply.error();
  Result<JobRecord> record = read_public_job(*reply);
  if (!record || record->job.state != State::success) return record;
  Result<HttpReply> result = caller_->ask({.path = path + "/result"});
  if (!result) return result.error();
  record->result = std::move(result->body);
  return record;
}

Result<JobRecord> ServerService::get(const JobId& id) {
  if (!sees_details_) return get_public(id);
  Result<JobRecord> record = get_details(id);
  if (record || record.error().refusal != Code::forbidden) return record;
  sees_details_ = false;
  return get_public(id);
}

Result<HttpReply> ServerService::poll(const JobId& id, std::string_view of, Instant until) {
  const Duration rest = std::clamp(until - ServerCaller::now(), Duration(), poll_max);
  const std::string seconds = std::to_string(rest.count() / 1000) + "." +
                              std::to_string(1000 + rest.count() % 1000).substr(1);
  return caller_->ask({.path = "/jobs/" + to_text(id) + std::string(of) + "?waitSeconds=" + seconds,
                       .timeout = rest + margin});
}

Result<JobRecord> ServerService::wait(const JobId& id, Duration longest) {
  const Instant until = ServerCaller::now() + longest;
  while (true) {
    const Result<HttpReply> reply = poll(id, "", until);
    if (!reply) return reply.error();
    const auto status = parse_status(Members(reply->body).text("status"));
    if (!status) return unexpected_response("job");
    if (has_ended(*status) || ServerCaller::now() >= until) return get(id);
  }
}

Result<std::string> ServerService::result(const JobId& id, Duration longest) {
  const Instant until = ServerCaller::now() + longest;
  while (true) {
    Result<HttpReply> reply = poll(id, "/result", until);
    if (!reply) return reply.error();
    if (reply->status == 200) return std::move(reply->body);
    if (ServerCaller::now() < until) continue;
    return not_ended_yet(id, Members(reply->body).text("status"));
  }
}

Result<std::int64_t> ServerService::watch(const JobId& id, const Client::Seen& seen,
                                          const std::stop_token& stop, std::int64_t after) {
  return JobWatch(*caller_, id, seen, after).run(stop);
}

Result<Job> ServerService::find_by_key(const std::string& type, const std::string& key) {
  const Result<HttpReply> reply =
      caller_->ask({.path = "/types/" + path_segment(type) + "/keys/" + path_segment(key)});
  if (!reply) return reply.error();
  Result<JobRecord> found = read_public_job(*reply);
  if (!found) return found.error();
  found->job.job_key = key;
  if (!sees_details_) return std::move(found->job);
  Result<HttpReply> details =
      caller_->ask({.path = "/jobs/" + to_text(found->job.id) + "/details"});
  if (details) {
    Result<JobRecord> record = read_details(*details);
    if (!record) return record.error();
    return std::move(record->job);
  }
  if (details.error().refusal != Code::forbidden) return details.error();
  sees_details_ = false;
  return std::move(found->job);
}

Result<ListPage> ServerService::list(ListQuery query) {
  const Result<HttpCall> call = call_for(query);
  if (!call) return call.error();
  const Result<HttpReply> reply = caller_->ask(*call);
  if (!reply) return reply.error();
  return read_list(*reply);
}

std::shared_ptr<Leases> ServerService::leases() {
  return std::make_shared<StoppableLeases>(caller_, worker_, make_random_());
}

}  // namespace longshore
