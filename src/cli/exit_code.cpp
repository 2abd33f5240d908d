#include "cli/exit_code.h"

namespace longshore {
namespace {

ExitCode exit_code_of(Code refusal) {
  switch (refusal) {
    case Code::not_found:
      return ExitCode::not_found;
    case Code::unauthenticated:
    case Code::forbidden:
      return ExitCode::not_allowed;
    case Code::key_in_use:
    case Code::id_in_use:
    case Code::lease_lost:
    case Code::already_settled:
    case Code::wrong_state:
    case Code::terminal:
    case Code::not_in_profile:
    case Code::old_revision:
      return ExitCode::conflict;
    case Code::job_failed:
    case Code::job_canceled:
      return ExitCode::job_failed;
    default:
      return ExitCode::failed;
  }
}

}  // namespace

ExitCode exit_code_of(const Error& error) {
  if (error.refusal) return exit_code_of(*error.refusal);
  switch (error.code) {
    case Errc::unavailable:
      return ExitCode::unreachable;
    case Errc::not_found:
      return ExitCode::not_found;
    case Errc::corrupt:
      return ExitCode::internal;
    default:
      return ExitCode::failed;
  }
}

}  // namespace longshore
