#include <charconv>
#include <cmath>
#include <utility>

#include "client/wire/job_wire.h"
#include "client/wire/members.h"
#include "client/wire/wire.h"

namespace longshore {
namespace {

Duration seconds_of(const Members& members, std::string_view name) {
  const double seconds = members.number(name).value_or(0);
  return Duration::millis(std::llround(seconds * 1000));
}

Backoff read_backoff(std::string_view json) {
  const Members members(json);
  Backoff backoff;
  const std::string kind = members.text("kind");
  if (kind == "fixed") backoff.kind = Backoff::Kind::fixed;
  if (kind == "none") backoff.kind = Backoff::Kind::none;
  backoff.base = seconds_of(members, "baseSeconds");
  backoff.max.reset();
  if (members.find("maxSeconds")) backoff.max = seconds_of(members, "maxSeconds");
  backoff.jitter = members.number("jitter").value_or(0);
  return backoff;
}

// The least specific state for a public status.
State state_for(Status status) {
  switch (status) {
    case Status::pending:
      return State::queued;
    case Status::running:
      return State::running;
    case Status::completed:
      return State::success;
    case Status::failed:
      return State::dead;
    case Status::canceled:
      break;
  }
  return State::canceled;
}

void read_public_members(const Members& members, Job& job) {
  job.type = members.text("jobType");
  job.created_at = members.time("createdAt").value_or(Instant());
  job.updated_at = members.time("updatedAt").value_or(Instant());
  job.run_at = members.time("runAt").value_or(Instant());
  job.started_at = members.time("startedAt");
  job.completed_at = members.time("completedAt");
  job.progress = members.number("progress");
  job.cancel_requested = members.flag("cancelRequested");
  job.successor_id = parse_job_id(members.text("successorId"));
}

void read_counters(const Members& members, Job& job) {
  job.number = members.integer("id");
  job.attempt = static_cast<int>(members.integer("attempt"));
  job.failures = static_cast<int>(members.integer("failures"));
  job.crashes = static_cast<int>(members.integer("crashes"));
  job.retry_count = static_cast<int>(members.integer("retryCount"));
  job.epoch = members.integer("epoch");
  job.version = members.integer("version");
  job.execution = Duration::millis(members.integer("executionMillis"));
}

void read_lease_members(const Members& members, Job& job) {
  job.deadline_at = members.time("deadlineAt");
  if (members.find("lease") == nullptr) return;
  const Members lease(members.view("lease"));
  job.worker = lease.text("workerId");
  job.lease_expires_at = lease.time("expiresAt");
}

void read_private_members(const Members& members, Job& job) {
  job.queue = members.text("queue");
  job.priority = static_cast<int>(members.integer("priority"));
  job.job_key = members.text("jobKey");
  job.idempotency_key = members.text("idempotencyKey");
  job.policy.max_retries = static_cast<int>(members.integer("maxRetries"));
  job.policy.timeout = seconds_of(members, "timeoutSeconds");
  job.policy.backoff = read_backoff(members.view("backoff"));
  job.expires_at = members.time("expiresAt");
  job.first_started_at = members.time("firstStartedAt");
  job.redrive_of = parse_job_id(members.text("redriveOf"));
  read_counters(members, job);
  read_lease_members(members, job);
}

// Nothing if it is not a job. Without a state member, the state is derived from the status.
std::optional<Job> read_job(const Members& members) {
  const auto id = parse_job_id(members.text("jobId"));
  const auto status = parse_status(members.text("status"));
  if (!id || !status) return std::nullopt;
  Job job;
  job.id = *id;
  job.state = parse_state(members.text("state")).value_or(state_for(*status));
  job.withdrawn = *status == Status::canceled;
  read_public_members(members, job);
  if (members.find("state")) read_private_members(members, job);
  return job;
}

std::vector<std::string> read_tags(const Members& members) {
  std::vector<std::string> tags;
  for (const JsonSlice& tag : members.elements("tags")) {
    tags.push_back(json_string(tag).value_or(""));
  }
  return tags;
}

JobBody read_body(const Members& members) {
  JobBody body{.payload = members.find("payload") ? members.raw("payload") : "null",
               .tags = read_tags(members),
               .metadata = members.raw("metadata"),
               .request = members.raw("request"),
               .traceparent = members.text("traceparent")};
  if (body.metadata == "{}") body.metadata.clear();
  return body;
}

std::optional<Callback> read_callback(const Members& members) {
  if (!members.find("callback")) return std::nullopt;
  const Members callback(members.view("callback"));
  return Callback{.url = callback.text("url"), .secret_name = callback.text("secretName")};
}

std::optional<JobError> read_error_member(const Members& members) {
  if (!members.find("error")) return std::nullopt;
  return read_error(members.view("error"));
}

std::vector<Failure> read_failures(const Members& members) {
  std::vector<Failure> failures;
  for (const JsonSlice& element : members.elements("errors")) {
    const Members failure(element.text);
    failures.push_back({.attempt = static_cast<int>(failure.integer("attempt")),
                        .at = failure.time("at").value_or(Instant()),
                        .error = read_error(element.text)});
  }
  return failures;
}

// The members that history entries and events share.
std::optional<Transition> read_move(const Members& members) {
  const auto to = parse_state(members.text("to"));
  const auto cause = parse_cause(members.text("cause"));
  if (!to || !cause) return std::nullopt;
  return Transition{.seq = members.integer("seq"),
                    .from = parse_state(members.text("from")),
                    .to = *to,
                    .cause = *cause,
                    .at = members.time("at").value_or(Instant()),
                    .epoch = members.integer("epoch"),
                    .worker = members.text("workerId"),
                    .detail = members.text("detail")};
}

std::optional<Settled> read_status(const Members& members) {
  const auto id = parse_job_id(members.text("jobId"));
  const auto status = parse_status(members.text("status"));
  if (!id || !status) return std::nullopt;
  return Settled{.job = *id, .status = *status};
}

}  // namespace

Result<std::vector<EnqueuedJob>> read_enqueued(const HttpReply& reply,
                                               const std::vector<JobRequest>& requests) {
  const Members members(reply.body);
  std::vector<std::string> answers;
  if (requests.size() == 1) {
    answers.push_back(reply.body);
  } else {
    for (const JsonSlice& element : members.elements("jobs")) answers.emplace_back(element.text);
  }
  if (answers.size() != requests.size()) return unexpected_response("list of enqueued jobs");
  std::vector<EnqueuedJob> jobs;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const std::optional<Settled> answered = read_status(Members(answers[i]));
    if (!answered) return unexpected_response("new job");
    const bool fresh = answered->job == requests[i].options.id;
    jobs.push_back({.id = answered->job, .status = answered->status, .fresh = fresh});
  }
  return jobs;
}

Result<Settled> read_action(const HttpReply& reply) {
  std::optional<Settled> settled = read_status(Members(reply.body));
  if (!settled) return unexpected_response("job");
  return *settled;
}

Result<ListPage> read_list(const HttpReply& reply) {
  const Members members(reply.body);
  if (!members.find("jobs")) return unexpected_response("list of jobs");
  ListPage page;
  for (const JsonSlice& element : members.elements("jobs")) {
    const Members summary(element.text);
    std::optional<Job> job = read_job(summary);
    if (!job) return unexpected_response("job");
    page.jobs.push_back({.job = std::move(*job), .tags = read_tags(summary)});
  }
  if (members.find("nextCursor") && !page.jobs.empty()) page.next = page.jobs.back().job.id;
  return page;
}

Result<JobRecord> read_details(const HttpReply& reply) {
  const Members members(reply.body);
  std::optional<Job> job = read_job(members);
  if (!job) return unexpected_response("job");
  JobRecord record{.job = std::move(*job), .body = read_body(members)};
  record.job.callback = read_callback(members);
  if (record.job.state == State::success) {
    record.result = members.find("result") ? members.raw("result") : "null";
  }
  if (members.find("checkpoint")) record.checkpoint = members.raw("checkpoint");
  record.error = read_error_member(members);
  record.errors = read_failures(members);
  return record;
}

Result<bool> add_history(JobRecord& record, const HttpReply& reply) {
  const Members members(reply.body);
  record.history.clear();
  for (const JsonSlice& element : members.elements("history")) {
    std::optional<Transition> move = read_move(Members(element.text));
    if (!move) return unexpected_response("transition");
    record.history.push_back(std::move(*move));
  }
  record.history_dropped = members.integer("dropped");
  if (record.history.empty()) return unexpected_response("history");
  record.job.history_count = record.history.back().seq;
  const Transition& last = record.history.back();
  return last.to == record.job.state && last.epoch == record.job.epoch;
}

Result<JobRecord> read_public_job(const HttpReply& reply) {
  const Members members(reply.body);
  std::optional<Job> job = read_job(members);
  if (!job) return unexpected_response("job");
  JobRecord record{.job = std::move(*job), .body = {}};
  record.error = read_error_member(members);
  return record;
}

Result<std::vector<AttemptLog>> read_logs(const HttpReply& reply) {
  const Members members(reply.body);
  if (!members.find("logs")) return unexpected_response("list of logs");
  std::vector<AttemptLog> logs;
  for (const JsonSlice& element : members.elements("logs")) {
    const Members log(element.text);
    logs.push_back({.attempt = static_cast<int>(log.integer("attempt")), .text = log.text("text")});
  }
  return logs;
}

std::optional<Transition> read_transition(std::string_view id, std::string_view data) {
  const Members members(data);
  std::optional<Transition> move = read_move(members);
  const char* const end = id.data() + id.size();
  std::int64_t seq = 0;
  const auto [rest, fault] = std::from_chars(id.data(), end, seq);
  if (!move || fault != std::errc() || rest != end) return std::nullopt;
  move->seq = seq;
  if (const auto error = read_error_member(members)) move->detail = error->code;
  return move;
}

}  // namespace longshore
