#include "core/rules/settle.h"

#include <array>

#include "core/rules/backoff.h"

namespace longshore {

bool is_reserved_code(std::string_view code) {
  constexpr std::array reserved = {platform::timeout, platform::lease_lost, platform::released,
                                   platform::poison, platform::expired};
  for (std::string_view word : reserved) {
    if (word == code) return true;
  }
  return false;
}

bool holds(Draft& draft, const LeaseToken& token) {
  const Job& job = draft.job();
  if (job.claim == RequestId{} || token != LeaseToken{job.epoch, job.claim}) return false;
  if (job.state == State::running) return !draft.reached(*job.lease_expires_at);
  if (job.state == State::waiting) return !draft.reached(*job.deadline_at);
  return false;
}

JobError canceled_error() {
  return {.code = std::string(platform::canceled), .message = "canceled on request"};
}

Refusal not_in_profile(const Rules& rules, std::string_view operation) {
  return {.code = Code::not_in_profile,
          .detail = "profile " + rules.profile + " does not allow " + std::string(operation)};
}

Duration next_backoff(const Job& job) {
  return backoff_delay(job.policy.backoff, job.failures + 1, job.id);
}

AttemptEnd failed_attempt(const Draft& draft, const JobError& error, bool retryable,
                          std::optional<Duration> retry_after) {
  AttemptEnd end{.error = error};
  if (!retryable) end.dies_of = Cause::fatal;
  if (error.code == platform::no_handler && !draft.rules().count_no_handler) {
    end.counted = false;
    end.dies_of.reset();
    end.delay = Duration::seconds(5);
    return end;
  }
  end.delay = retry_after ? *retry_after : next_backoff(draft.job());
  return end;
}

void end_attempt(Draft& draft, const AttemptEnd& end) {
  Job& job = draft.job();
  if (job.cancel_requested || end.error.code == platform::canceled) {
    JobError error = end.error.code == platform::canceled ? end.error : canceled_error();
    draft.withdraw(error, Cause::cancel);
    return;
  }
  if (end.counted) job.failures += 1;
  if (!end.error.code.empty() || !end.error.message.empty()) {
    draft.change().error = end.error;
    draft.change().list_error = end.list_error;
  }
  draft.move(State::retry, end.cause, end.detail.empty() ? end.error.code : end.detail);

  const bool used_up = end.counted && job.failures > job.policy.max_retries;
  if (end.dies_of || used_up) {
    draft.move(State::dead, end.dies_of.value_or(Cause::limit_exceeded), end.error.code);
    return;
  }
  if (end.counted) job.retry_count += 1;
  job.run_at = draft.now() + end.delay.value_or(Duration());
  if (job.run_at > draft.now()) return;
  draft.move(State::queued, Cause::due);
  draft.change().place = end.place;
}

}  // namespace longshore
