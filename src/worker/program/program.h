// Runs a program for a job: what it is given, how long it may live, and what its end means.
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
  std::string path;                      // of the program; no shell, no search, no arguments
  std::string input;                     // all that it can read from its standard input
  std::vector<std::string> environment;  // "NAME=value", and nothing besides
  std::string folder = {};               // where it runs; empty: where the worker does
  ProcessLimits limits = {};
  const ProgramUser* user = nullptr;     // null: the worker's own
  bool may_gain_rights = false;          // by setuid files
  bool in_cgroup = true;                 // where one can be made
  std::size_t output_max = 1024 * 1024;  // it is killed if it writes more
  std::size_t errors_kept = 64 * 1024;   // of standard error, the newest
  // What the program writes there goes to `on_checkpoint`; null: nothing does.
  CheckpointFile* checkpoint = nullptr;
  std::function<void(std::string)> on_checkpoint = {};
  // Between the polite signal and the one that cannot be refused.
  Duration patience = Duration::seconds(2);
};

struct ProgramEnd {
  std::optional<int> status;  // what it exited with; none if a signal killed it
  int signal = 0;
  std::string output;
  std::string errors;
  bool stopped = false;    // because `stop` was requested
  bool overflown = false;  // because it wrote more than `output_max`
};

// Blocks until the program is gone. It leads a process group of its own, which `stop` asks to end
// (SIGTERM, then SIGKILL); when it ends, everything that it started is killed, in whatever group or
// session it is. Errc::invalid if it cannot be started. Safe to call from several threads.
Result<ProgramEnd> run_program(const ProgramCall& call, const std::stop_token& stop);

struct ProgramOptions {
  ProcessLimits limits = {};
  std::optional<ProgramUser> user = {};              // none: the worker's own
  bool may_gain_rights = false;                      // by setuid files
  bool in_cgroup = true;                             // where one can be made
  std::vector<std::string> passed = {};              // names of variables that are handed on
  std::map<std::string, std::string> declared = {};  // variables of its own
  std::size_t output_max = 1024 * 1024;              // of standard output; no result may be larger
  std::string scratch = {};  // where each attempt gets a folder to run in; empty: the system's
};

// A handler that runs the program at `path` for each job: the payload on standard input, about the
// job in LONGSHORE_JOB_ID, LONGSHORE_JOB_TYPE, LONGSHORE_QUEUE, LONGSHORE_ATTEMPT, LONGSHORE_FENCE,
// LONGSHORE_DEADLINE and TRACEPARENT, the result on standard output as JSON, or else as a text. It
// runs in a folder of its own, which is taken away after it. JSON in the file LONGSHORE_CHECKPOINT
// is saved as the attempt's checkpoint within a second; the next attempt finds it there.
// Status 0 is success, 75 a failure to try again, 65 one for good, and any other or a signal one
// to try again; what it wrote to standard error is the attempt's log, and its end the message.
// Of this process's own variables it gets those of program_environment.h, as they are now, and no
// others.
Handler program_handler(std::string path, ProgramOptions options = {});

// The program as an absolute path, which is what is run. Errc::invalid if it cannot be: without a
// slash, since programs are not searched for, or not there, or not to be run.
Result<std::string> program_path(const std::string& path);

// "SIGSEGV" for 11.
std::string signal_name(int number);

// What the end of a program means for the job.
Ending ending_of(const ProgramEnd& end);

}  // namespace longshore
