#include "worker/outcome.h"

#include <optional>
#include <string>
#include <utility>

#include "core/record/stored_json.h"
#include "core/rules/limits.h"
#include "core/rules/settle.h"
#include "worker/plain_text.h"

namespace longshore {
namespace {

constexpr std::size_t code_bytes_max = 128;

bool is_allowed_code(std::string_view code) { return !is_reserved_code(code); }

bool is_delay(const std::optional<Duration>& delay, Duration most) {
  return !delay || (*delay >= Duration() && *delay <= most);
}

// Why the ending is invalid, if it is.
std::optional<std::string> fault_in(const Ending& ending) {
  using Kind = Ending::Kind;
  if (ending.kind == Kind::ok) {
    const auto fault = stored_json_fault("result", ending.result, result_bytes_max);
    if (fault) return fault->message;
  }
  if (!is_allowed_code(ending.error.code)) {
    return "the error code " + ending.error.code + " is reserved for the platform (" +
           ending.error.message + ")";
  }
  if (ending.kind == Kind::retry && !is_delay(ending.delay, retry_after_max)) {
    return "retry_in requires a delay from 0 to 30 days";
  }
  if (ending.kind == Kind::release && !is_delay(ending.delay, Duration::forever())) {
    return "release requires a delay of 0 or more";
  }
  if (ending.timeout && *ending.timeout <= Duration()) return "hand_off requires a timeout above 0";
  return std::nullopt;
}

JobError fitted(JobError error) {
  error.code = plain_text(error.code, code_bytes_max);
  error.message = plain_text(error.message, error_message_bytes_kept);
  if (!error.details.empty() && stored_json_fault("", error.details, error_details_bytes_max)) {
    error.details.clear();
  }
  return error;
}

Command fail_with(Attempt& attempt, JobError error, bool retryable,
                  std::optional<Duration> retry_after) {
  return Fail{.job = attempt.lease.job,
              .token = attempt.lease.token,
              .error = fitted(std::move(error)),
              .retryable = retryable,
              .retry_after = retry_after,
              .log = attempt.take_log()};
}

Command settlement(Attempt& attempt, Ending ending) {
  const JobId job = attempt.lease.job;
  const LeaseToken token = attempt.lease.token;
  switch (ending.kind) {
    case Ending::Kind::ok:
      return Complete{.job = job,
                      .token = token,
                      .result = std::move(ending.result),
                      .log = attempt.take_log()};
    case Ending::Kind::retry:
    case Ending::Kind::fail:
      return fail_with(attempt, std::move(ending.error), true, ending.delay);
    case Ending::Kind::fatal:
      return fail_with(attempt, std::move(ending.error), false, std::nullopt);
    case Ending::Kind::release:
      return Release{.job = job, .token = token, .delay = ending.delay, .log = attempt.take_log()};
    case Ending::Kind::hand_off:
      return HandOff{.job = job, .token = token, .timeout = ending.timeout};
    case Ending::Kind::canceled:
      break;
  }
  return fail_with(attempt, {std::string(platform::canceled), "canceled", ""}, true, std::nullopt);
}

}  // namespace

std::vector<Command> settling_commands(Attempt& attempt, Ending ending) {
  if (auto fault = fault_in(ending)) {
    ending = fail_for_good("the handler returned an invalid ending: " + *fault, "BAD_ENDING");
  }
  std::vector<Command> words;
  if (ending.kind == Ending::Kind::hand_off) {
    // HandOff has no log member.
    Heartbeat beat = attempt.next_heartbeat();
    if (!beat.log.empty() || beat.progress) words.emplace_back(std::move(beat));
  }
  words.push_back(settlement(attempt, std::move(ending)));
  return words;
}

Command fail_instead(const HandOff& refused, const Refusal& refusal) {
  return Fail{.job = refused.job,
              .token = refused.token,
              .error = fitted({.code = std::string(to_text(refusal.code)),
                               .message = "the handler's hand-off was refused: " + refusal.detail,
                               .details = ""}),
              .retryable = false};
}

}  // namespace longshore
