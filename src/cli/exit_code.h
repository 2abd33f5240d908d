// What the program exits with. Scripts rely on the numbers.
#pragma once

#include "longshore/error.h"

namespace longshore {

enum class ExitCode {
  done = 0,
  failed = 1,        // refused or failed
  usage = 2,         // the command line or the configuration is wrong
  not_found = 3,     // there is no such job, token, ...
  conflict = 4,      // what is there does not allow it
  not_allowed = 5,   // no token, or one of another role
  job_failed = 6,    // the awaited job did
  unreachable = 69,  // no answer from the server
  internal = 70,     // the program or its store is broken
};

// What a failed call to a server or a store means.
ExitCode exit_code_of(const Error& error);

}  // namespace longshore
