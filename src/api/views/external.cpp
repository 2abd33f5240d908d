// The job instance of the design, field by field.
#include "api/views/writers.h"

namespace longshore {
namespace {

// The design writes the string NONE where there is no error: while a job waits for its first start,
// while it runs, and after a success. Otherwise its error is JSON as text.
std::string error_of(const ShownJob& shown, std::string_view word) {
  const bool none = word == "initial" || word == "running" || shown.job.state == State::success;
  if (none) return "NONE";
  if (shown.error) return error_text(shown);
  // A release reports no error, and the job is in the design's error state all the same.
  return R"({"code":"RELEASED","message":"The worker released the job"})";
}

}  // namespace

void write_external(JsonOut& out, const ShownJob& shown) {
  const Job& job = shown.job;
  const std::string_view word = state_word("external", job);
  out.member("id", job.number);
  out.member("job_type", job.type);
  out.text_or_null("job_key", job.job_key);
  out.member("state", word);
  out.member("error", error_of(shown, word));
  out.member("attempt", job.attempt);
  out.member("scheduled_run_time", job.run_at);
  out.member("create_time", job.created_at);
  out.member("update_time", job.updated_at);
}

}  // namespace longshore
