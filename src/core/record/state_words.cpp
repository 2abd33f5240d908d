// The JSON names of states, statuses, causes and codes.
#include <array>

#include "core/rules/settle.h"
#include "longshore/code.h"
#include "longshore/job.h"

namespace longshore {
namespace {

constexpr std::array<std::string_view, state_count> state_words = {
    "CREATED", "SCHEDULED", "QUEUED", "RUNNING", "WAITING", "RETRY", "SUCCESS", "DEAD", "CANCELED"};

constexpr std::array<std::string_view, cause_count> cause_words = {
    "enqueue",       "accept",   "replace", "due",     "promote",   "claim",
    "handOff",       "complete", "fail",    "timeout", "leaseLost", "release",
    "limitExceeded", "fatal",    "cancel",  "expired", "reopen"};

template <class Enum, std::size_t count>
std::optional<Enum> parse(const std::array<std::string_view, count>& words, std::string_view text) {
  for (std::size_t i = 0; i < count; ++i) {
    if (words[i] == text) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view to_text(State state) { return state_words[static_cast<std::size_t>(state)]; }
std::string_view to_text(Cause cause) { return cause_words[static_cast<std::size_t>(cause)]; }
std::optional<State> parse_state(std::string_view text) { return parse<State>(state_words, text); }
std::optional<Cause> parse_cause(std::string_view text) { return parse<Cause>(cause_words, text); }

std::string_view to_text(Status status) {
  constexpr std::array<std::string_view, 5> words = {"PENDING", "RUNNING", "COMPLETED", "FAILED",
                                                     "CANCELED"};
  return words[static_cast<std::size_t>(status)];
}

Status status_of(State state) {
  switch (state) {
    case State::created:
    case State::scheduled:
    case State::queued:
    case State::retry:
      return Status::pending;
    case State::running:
    case State::waiting:
      return Status::running;
    case State::success:
      return Status::completed;
    case State::dead:
      return Status::failed;
    case State::canceled:
      return Status::canceled;
  }
  return Status::pending;
}

Status status_of(const Job& job) {
  const bool canceled = job.state == State::dead && job.withdrawn;
  return canceled ? Status::canceled : status_of(job.state);
}

Status status_of(const Transition& move) {
  return move.to == State::dead && is_withdrawal(move) ? Status::canceled : status_of(move.to);
}

bool is_terminal(State state) {
  return state == State::success || state == State::dead || state == State::canceled;
}

std::string_view to_text(Code code) {
  switch (code) {
    case Code::invalid_json:
      return "INVALID_JSON";
    case Code::bad_request:
      return "BAD_REQUEST";
    case Code::unauthenticated:
      return "UNAUTHENTICATED";
    case Code::forbidden:
      return "FORBIDDEN";
    case Code::not_found:
      return "NOT_FOUND";
    case Code::method_not_allowed:
      return "METHOD_NOT_ALLOWED";
    case Code::request_timeout:
      return "REQUEST_TIMEOUT";
    case Code::key_in_use:
      return "KEY_IN_USE";
    case Code::id_in_use:
      return "ID_IN_USE";
    case Code::lease_lost:
      return "LEASE_LOST";
    case Code::already_settled:
      return "ALREADY_SETTLED";
    case Code::wrong_state:
      return "WRONG_STATE";
    case Code::terminal:
      return "TERMINAL";
    case Code::not_in_profile:
      return "NOT_IN_PROFILE";
    case Code::old_revision:
      return "OLD_REVISION";
    case Code::job_failed:
      return "JOB_FAILED";
    case Code::job_canceled:
      return "JOB_CANCELED";
    case Code::too_large:
      return "TOO_LARGE";
    case Code::uri_too_long:
      return "URI_TOO_LONG";
    case Code::unsupported_media_type:
      return "UNSUPPORTED_MEDIA_TYPE";
    case Code::invalid_field:
      return "INVALID_FIELD";
    case Code::unknown_field:
      return "UNKNOWN_FIELD";
    case Code::idempotency_mismatch:
      return "IDEMPOTENCY_MISMATCH";
    case Code::overloaded:
      return "OVERLOADED";
    case Code::headers_too_large:
      return "HEADERS_TOO_LARGE";
    case Code::internal:
      return "INTERNAL";
    case Code::store_unavailable:
      return "STORE_UNAVAILABLE";
    case Code::http_version:
      return "HTTP_VERSION";
    case Code::disk_full:
      return "DISK_FULL";
  }
  return "INTERNAL";
}

}  // namespace longshore
