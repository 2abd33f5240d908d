// Runs programs as handlers: each job's input, and the outcome of its program.
#include <optional>
#include <utility>

#include "core/text/time_text.h"
#include "worker/program/checkpoint_file.h"
#include "worker/program/program.h"
#include "worker/program/program_environment.h"
#include "worker/program/scratch_folder.h"

namespace longshore {
namespace {

// If programs run as another user, that user's HOME and the like.
std::map<std::string, std::string> base_environment(const ProgramOptions& options) {
  std::map<std::string, std::string> declared = options.declared;
  if (options.user) {
    declared.emplace("HOME", options.user->home);
    declared.emplace("USER", options.user->name);
    declared.emplace("LOGNAME", options.user->name);
  }
  return program_environment(options.passed, declared);
}

std::vector<std::string> environment_for(const Context& context,
                                         const std::map<std::string, std::string>& base) {
  std::vector<std::string> variables;
  for (const auto& [name, value] : base) {
    std::string variable = name;
    variable += '=';
    variables.push_back(variable += value);
  }
  const Lease& lease = context.lease();
  variables.push_back("LONGSHORE_JOB_ID=" + to_text(lease.job));
  variables.push_back("LONGSHORE_JOB_TYPE=" + lease.type);
  variables.push_back("LONGSHORE_QUEUE=" + lease.queue);
  variables.push_back("LONGSHORE_ATTEMPT=" + std::to_string(lease.attempt));
  variables.push_back("LONGSHORE_FENCE=" + std::to_string(context.fence()));
  variables.push_back("LONGSHORE_DEADLINE=" + to_text(lease.deadline_at));
  if (!lease.body.traceparent.empty()) {
    variables.push_back("TRACEPARENT=" + lease.body.traceparent);
  }
  return variables;
}

class ProgramHandler {
 public:
  ProgramHandler(std::string path, ProgramOptions options)
      : path_(std::move(path)),
        options_(std::move(options)),
        environment_(base_environment(options_)) {}

  Ending operator()(Context& context) const {
    Result<ScratchFolder> folder = ScratchFolder::make(options_.scratch);
    if (!folder) return fail(folder.error().message, "CANNOT_RUN");
    CheckpointFile checkpoint(folder->path(), context.checkpoint(), owner());
    if (auto fault = hand_over(*folder, checkpoint, context)) {
      return fail(fault->message, "CANNOT_RUN");
    }
    ProgramCall call = call_for(context, *folder);
    call.environment.push_back("LONGSHORE_CHECKPOINT=" + checkpoint.path());
    call.checkpoint = &checkpoint;
    call.on_checkpoint = [&context](std::string json) {
      Result<Nothing> saved = context.save_checkpoint(RawJson{std::move(json)});
      if (!saved) context.log("cannot save the checkpoint: " + saved.error().message);
    };
    Result<ProgramEnd> end = run_program(call, context.stop_token());
    if (!end) return fail(end.error().message, "CANNOT_RUN");
    if (!end->errors.empty()) context.log(end->errors);
    if (!end->stopped) return ending_of(*end);
    // If the lease is lost, the outcome is discarded, so this matters for a cancel only.
    return context.stop_reason() == StopReason::canceled ? canceled() : release();
  }

 private:
  ProgramCall call_for(const Context& context, const ScratchFolder& folder) const {
    ProgramCall call{.path = path_,
                     .input = std::string(context.payload()),
                     .environment = environment_for(context, environment_),
                     .folder = folder.path(),
                     .limits = options_.limits,
                     .user = options_.user ? &*options_.user : nullptr,
                     .may_gain_rights = options_.may_gain_rights,
                     .in_cgroup = options_.in_cgroup,
                     .output_max = options_.output_max};
    call.environment.push_back("PWD=" + folder.path());
    return call;
  }

  std::optional<uid_t> owner() const {
    return options_.user ? std::optional(options_.user->id) : std::nullopt;
  }

  // Gives the folder and its content to the user that the program runs as.
  std::optional<Error> hand_over(const ScratchFolder& folder, const CheckpointFile& checkpoint,
                                 const Context& context) const {
    if (!options_.user) return std::nullopt;
    if (context.checkpoint()) {
      if (auto given = change_owner(*options_.user, checkpoint.path()); !given)
        return given.error();
    }
    if (auto given = change_owner(*options_.user, folder.path()); !given) return given.error();
    return std::nullopt;
  }

  std::string path_;
  ProgramOptions options_;
  std::map<std::string, std::string> environment_;
};

}  // namespace

Handler program_handler(std::string path, ProgramOptions options) {
  return ProgramHandler(std::move(path), std::move(options));
}

}  // namespace longshore
