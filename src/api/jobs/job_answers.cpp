#include "api/jobs/job_answers.h"

#include "core/rules/job_events.h"

namespace longshore {
namespace {

std::string_view next_tag(std::string_view& list) {
  const std::size_t first = list.find_first_not_of(" \t,");
  if (first == std::string_view::npos) return list = {};
  list.remove_prefix(first);
  const std::string_view tag = list.substr(0, list.find_first_of(" \t,"));
  list.remove_prefix(tag.size());
  return tag;
}

}  // namespace

void write_status(JsonOut& out, const JobId& id, Status status) {
  out.open('{');
  out.member("jobId", id);
  out.member("status", to_text(status));
  out.close('}');
}

std::string status_json(const JobId& id, Status status) {
  JsonOut out;
  write_status(out, id, status);
  return out.take();
}

std::string public_job_json(const Job& job) {
  JsonOut out;
  out.open('{');
  out.member("jobId", job.id);
  out.member("jobType", job.type);
  out.member("status", to_text(status_of(job)));
  out.member("createdAt", job.created_at);
  out.member("updatedAt", job.updated_at);
  out.member("runAt", job.run_at);
  out.member_if("startedAt", job.started_at);
  out.member_if("completedAt", job.completed_at);
  out.member_if("progress", job.progress);
  if (job.cancel_requested) out.member("cancelRequested", true);
  out.member_if("successorId", job.successor_id);
  out.close('}');
  return out.take();
}

std::string etag_of(const Job& job) { return '"' + std::to_string(job.version) + '"'; }

bool is_unchanged(const HttpRequest& request, std::string_view etag) {
  std::string_view list = request.header("If-None-Match");
  for (std::string_view tag = next_tag(list); !tag.empty(); tag = next_tag(list)) {
    if (tag.starts_with("W/")) tag.remove_prefix(2);
    if (tag == "*" || tag == etag) return true;
  }
  return false;
}

std::string short_error_json(const JobError& error) {
  JsonOut out;
  out.open('{');
  out.member("code", error.code);
  out.member("message", short_message(error.message));
  out.close('}');
  return out.take();
}

void write_error(JsonOut& out, const JobError& error) {
  out.open('{');
  out.member("code", error.code);
  out.member("message", error.message);
  out.key("details");
  if (error.details.empty()) {
    out.value(nullptr);
  } else {
    out.value(Verbatim{error.details});
  }
  out.close('}');
}

}  // namespace longshore
