// Runs a program for a job: its input, limits and outcome.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/error.h"
#include "longshore/time.h"
#include "longshore/worker.h"
#include "worker/program/checkpoint_file.h"
#include "worker/program/child.h"

namespace longshore {

struct ProgramCall {
  std::string path;                      // no shell, no search path, no arguments
  std::string input;                     // standard input
  std::vector<std::string> environment;  // "NAME=value"; the complete environment
  std::string folder = {};               // working directory; empty: the worker's
  ProcessLimits limits = {};
  const ProgramUser* user = nullptr;     // null: the worker's user
  bool may_gain_rights = false;          // through setuid files
  bool in_cgroup = true;                 // if possible
  std::size_t output_max = 1024 * 1024;  // killed if it writes more
  std::size_t errors_kept = 64 * 1024;   // of standard error, the newest
  // Checkpoints written to this file are passed to `on_checkpoint`; null: none are.
  CheckpointFile* checkpoint = nullptr;
  std::function<void(std::string)> on_checkpoint = {};
  // Between SIGTERM and SIGKILL.
  Duration patience = Duration::seconds(2);
};

struct ProgramEnd {
  std::optional<int> status;  // the exit status; none if a signal killed it
  int signal = 0;
  std::string output;
  std::string errors;
  bool stopped = false;    // because `stop` was requested
  bool overflown = false;  // because it wrote more than `output_max`
};

// Blocks until the program has ended. It leads its own process group, which `stop` terminates
// (SIGTERM, then SIGKILL). When it ends, all its descendants are killed, whatever their group or
// session. Errc::invalid if it cannot be started. Safe to call from several threads.
Result<ProgramEnd> run_program(const ProgramCall& call, const std::stop_token& stop);

struct ProgramOptions {
  ProcessLimits limits = {};
  std::optional<ProgramUser> user = {};              // none: the worker's user
  bool may_gain_rights = false;                      // through setuid files
  bool in_cgroup = true;                             // if possible
  std::vector<std::string> passed = {};              // names of inherited variables
  std::map<std::string, std::string> declared = {};  // additional variables
  std::size_t output_max = 1024 * 1024;              // of standard output; also the largest result
  std::string scratch =
      {};  // parent of each attempt's working directory; empty: the system's temporary directory
};

// A handler that runs the program at `path` for each job. The payload is its standard input; the
// job is described in LONGSHORE_JOB_ID, LONGSHORE_JOB_TYPE, LONGSHORE_QUEUE, LONGSHORE_ATTEMPT,
// LONGSHORE_FENCE, LONGSHORE_DEADLINE and TRACEPARENT; standard output is the result, as JSON or
// else as a text. It runs in a temporary folder that is removed afterwards. JSON in the file
// LONGSHORE_CHECKPOINT is saved as the attempt's checkpoint within a second; the next attempt finds
// it there. Exit status 0 is success, 65 a failure for good, and any other status or a signal a
// failure to retry (75 by convention). Standard error is the attempt's log; its end is the error
// message. It inherits the variables named in program_environment.h and no others.
Handler program_handler(std::string path, ProgramOptions options = {});

// The absolute path of the program. Errc::invalid if it has no slash (there is no search path),
// does not exist or is not executable.
Result<std::string> program_path(const std::string& path);

// "SIGSEGV" for 11.
std::string signal_name(int number);

// The outcome of the job.
Ending ending_of(const ProgramEnd& end);

}  // namespace longshore
