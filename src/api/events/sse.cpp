#include "api/events/sse.h"

#include "api/jobs/job_answers.h"
#include "api/wire/json_out.h"
#include "core/rules/settle.h"

namespace longshore {

std::string sse_event(std::string_view event, std::string_view id, std::string_view data) {
  std::string text = "event: ";
  text += event;
  if (!id.empty()) {
    text += "\nid: ";
    text += id;
  }
  text += "\ndata: ";
  text += data;
  text += "\n\n";
  return text;
}

namespace {

// A canceled or expired job may end as DEAD; its error's code tells which.
Status status_after(const Transition& move) {
  const bool withdrawn = move.to == State::dead &&
                         (move.detail == platform::canceled || move.detail == platform::expired);
  return withdrawn ? Status::canceled : status_of(move.to);
}

}  // namespace

std::string transition_json(const JobEvent& events, const ShownMove& shown,
                            const std::optional<JobError>& error) {
  const Transition& move = events.transition;
  JsonOut out;
  out.open('{');
  out.member("jobId", events.job);
  out.member("jobType", events.type);
  out.member("queue", events.queue);
  out.member("from", shown.from);
  out.member("to", shown.to);
  out.member("cause", to_text(move.cause));
  out.member("at", move.at);
  out.member("status", to_text(status_after(move)));
  if (error) {
    const std::string short_error = short_error_json(*error);
    out.member("error", Verbatim{short_error});
  }
  out.close('}');
  return out.take();
}

bool is_failure(const Transition& move) {
  switch (move.cause) {
    case Cause::fail:
    case Cause::timeout:
    case Cause::lease_lost:
    case Cause::limit_exceeded:
    case Cause::fatal:
      return true;
    default:
      return false;
  }
}

std::optional<JobError> error_of(const JobRecord& record, const Transition& move) {
  if (!is_failure(move)) return std::nullopt;
  // The last transition of an ended job has its latest error.
  const bool is_last = !record.history.empty() && record.history.back().seq == move.seq;
  if (is_last && move.to == State::dead && record.error) return record.error;
  for (const Failure& failure : record.errors) {
    if (failure.at == move.at && failure.error.code == move.detail) return failure.error;
  }
  return JobError{.code = move.detail};
}

}  // namespace longshore
