// Exit codes of the program. The numbers are part of its interface.
#pragma once

#include "longshore/error.h"

namespace longshore {

enum class ExitCode {
  done = 0,
  failed = 1,        // the request was rejected or failed
  usage = 2,         // the command line or the configuration is wrong
  not_found = 3,     // no such job, token, ...
  conflict = 4,      // the current state does not allow it
  not_allowed = 5,   // no token, or its role does not permit it
  job_failed = 6,    // the awaited job failed
  unreachable = 69,  // no answer from the server
  internal = 70,     // a bug, or a corrupt store
};

// The exit code for an error of a server or a store.
ExitCode exit_code_of(const Error& error);

}  // namespace longshore
