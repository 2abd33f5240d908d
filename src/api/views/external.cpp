// The design's job instance.
#include "api/views/writers.h"

namespace longshore {
namespace {

// The string NONE before the first start, while running and after a success; otherwise the error as
// JSON text.
std::string error_of(const ShownJob& shown, std::string_view word) {
  const bool none = word == "initial" || word == "running" || shown.job.state == State::success;
  if (none) return "NONE";
  if (shown.error) return error_text(shown);
  // A release reports no error, but the job is in the design's error state.
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
