// What the rules about workers' words share: whose token is good, and how an attempt ends that
// did not succeed.
#pragma once

#include "core/rules/draft.h"
#include "longshore/command.h"

namespace longshore {

namespace platform {  // error codes that are the platform's own words
inline constexpr std::string_view timeout = "TIMEOUT";
inline constexpr std::string_view lease_lost = "LEASE_LOST";
inline constexpr std::string_view released = "RELEASED";
inline constexpr std::string_view poison = "POISON";
inline constexpr std::string_view expired = "EXPIRED";
inline constexpr std::string_view canceled = "CANCELED";
inline constexpr std::string_view no_handler = "NO_HANDLER";
}  // namespace platform

// True of the moves that take a canceled or expired job out; no worker may use these codes for a
// failure.
inline bool is_withdrawal(const Transition& move) {
  return move.detail == platform::canceled || move.detail == platform::expired;
}

// Only the platform may say these; a worker that does is refused.
bool is_reserved_code(std::string_view code);

// How long an owner that asked for this much may be silent before it counts as gone.
inline Duration heartbeat_grace(Duration asked) { return Duration::millis(asked.count() / 3 * 2); }

// True while the token owns the job: running before its lease ends, or waiting before its
// deadline.
bool holds(Draft& draft, const LeaseToken& token);

// An attempt ended without success.
struct AttemptEnd {
  Cause cause = Cause::fail;
  JobError error;
  bool counted = true;            // a failure that uses up a retry
  std::optional<Cause> dies_of;   // no further attempt: fatal, or limit_exceeded
  bool list_error = true;         // belongs in the job's list of errors
  std::string_view detail;        // for the history; empty: the error's code
  std::optional<Duration> delay;  // before the next attempt; none: at once
  Place place = Place::back;      // where it goes when at once
};

// RUNNING or WAITING to RETRY, and from there to DEAD or QUEUED in the same commit where the
// rules say so. A requested cancel takes effect instead.
void end_attempt(Draft& draft, const AttemptEnd& end);

// The end of an attempt that reported this error, counted or not as its code asks.
AttemptEnd failed_attempt(const Draft& draft, const JobError& error, bool retryable,
                          std::optional<Duration> retry_after);

// The wait before the next attempt if one more failure is counted now.
Duration next_backoff(const Job& job);

JobError canceled_error();

// Why the rules' profile does not carry out `operation`.
Refusal not_in_profile(const Rules& rules, std::string_view operation);

}  // namespace longshore
