#include "cli/command.h"
#include "cli/process_secrets.h"
#include "server/report/log.h"
#include "server/run.h"

namespace longshore {

ExitCode run_serve(const Invocation& invocation) {
  keep_memory_private();
  Log log(log_format(invocation.settings), log_level(invocation.settings));
  Result<Nothing> served = run_server(invocation.settings, log);
  if (served) return ExitCode::done;
  log.error(served.error().message);
  switch (served.error().code) {
    case Errc::invalid:
      return ExitCode::usage;
    case Errc::corrupt:
      return ExitCode::internal;
    default:
      return ExitCode::failed;
  }
}

}  // namespace longshore
