#include "server/handlers/work_handlers.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <utility>

#include "client/delivery/push.h"
#include "core/text/names.h"
#include "core/time/clock.h"
#include "server/settings/secret_files.h"
#include "worker/program/program.h"
#include "worker/program/program_environment.h"
#include "worker/program/scratch_folder.h"

namespace longshore {
namespace {

Error invalid(std::string message) { return {Errc::invalid, std::move(message)}; }

struct Pair {
  std::string name;
  std::string value;
};

std::optional<Pair> split(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return std::nullopt;
  return Pair{text.substr(0, equals), text.substr(equals + 1)};
}

std::optional<int> number_in(const std::string& text) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, number);
  if (fault != std::errc() || rest != end || number < 1 || number > 10'000) return std::nullopt;
  return number;
}

// Parses a list option of NAME=NUMBER.
Result<std::map<std::string, int>> limits_of(const Settings& settings, const std::string& option) {
  std::map<std::string, int> limits;
  for (const std::string& text : settings.list(option)) {
    const auto pair = split(text);
    const auto number = pair ? number_in(pair->value) : std::nullopt;
    if (!number) {
      return invalid("--" + option + " must be NAME=NUMBER from 1 to 10000, got \"" + text + "\"");
    }
    limits[pair->name] = *number;
  }
  return limits;
}

using HandlerSettings = std::map<std::string, HandlerSetting>;

// Applies --exec or --push, which override the file for the same types.
std::optional<Error> add_flags(const Settings& settings, const std::string& option,
                               const std::string& value_name, HandlerSettings& all) {
  HandlerSettings given;
  for (const std::string& text : settings.list(option)) {
    const auto pair = split(text);
    if (!pair) {
      return invalid("--" + option + " must be TYPE=" + value_name + ", got \"" + text + "\"");
    }
    if (auto fault = job_type_fault(pair->name)) {
      return invalid("--" + option + " " + text + ": " + *fault);
    }
    HandlerSetting setting;
    (option == "exec" ? setting.program : setting.url) = pair->value;
    if (!given.emplace(pair->name, std::move(setting)).second) {
      return invalid("--" + option + " sets two " + (option == "exec" ? "programs" : "URLs") +
                     " for " + pair->name);
    }
  }
  for (auto& [type, setting] : given) all[type] = std::move(setting);
  return std::nullopt;
}

std::optional<Error> variables_fault(const ProgramOptions& options) {
  std::vector<std::string> names = options.passed;
  for (const auto& [name, value] : options.declared) names.push_back(name);
  for (const std::string& name : names) {
    const std::string fault = variable_name_fault(name);
    if (!fault.empty()) return invalid("the variable \"" + name + "\" " + fault);
  }
  return std::nullopt;
}

Result<Handler> program_of(const Settings& settings, const HandlerSetting& setting) {
  Result<std::string> path = program_path(setting.program);
  if (!path) return path.error();
  const auto limit = [&](const std::optional<std::int64_t>& own, std::string_view option) {
    return own ? *own : settings.natural(option);
  };
  ProgramOptions options{
      .limits = {.memory_bytes = limit(setting.memory_bytes, "programs.memory-bytes"),
                 .cpu_seconds = limit(setting.cpu_seconds, "programs.cpu-seconds"),
                 .open_files = limit(setting.open_files, "programs.open-files"),
                 .processes = limit(setting.processes, "programs.processes"),
                 .file_bytes = limit(setting.file_bytes, "programs.file-bytes")},
      .may_gain_rights = settings.boolean("programs.allow-setuid"),
      .in_cgroup = settings.text("programs.cgroups") == "auto",
      .passed = settings.list("programs.pass-env"),
      .declared = setting.env,
      .output_max = static_cast<std::size_t>(limit(setting.output_bytes, "programs.output-bytes")),
      .scratch = settings.text("programs.folder")};
  options.passed.insert(options.passed.end(), setting.passed.begin(), setting.passed.end());
  if (auto fault = variables_fault(options)) return *fault;
  const std::string user = setting.user.empty() ? settings.text("programs.user") : setting.user;
  if (!user.empty()) {
    Result<ProgramUser> found = find_program_user(user);
    if (!found) return found.error();
    options.user = std::move(*found);
  }
  if (auto made = try_scratch_folder(options.scratch); !made) return made.error();
  return program_handler(*path, std::move(options));
}

// Null if no handler pushes, so that certificates are not needed.
Result<std::shared_ptr<const WebhookSender>> postman_for(const Settings& settings,
                                                         const HandlerSettings& all) {
  const bool pushes =
      std::ranges::any_of(all, [](const auto& one) { return !one.second.url.empty(); });
  if (!pushes) return std::shared_ptr<const WebhookSender>();
  Result<Secrets> secrets = webhook_secrets(settings);
  if (!secrets) return secrets.error();
  Result<std::shared_ptr<Outgoing>> outgoing = Outgoing::make(
      {.allow = settings.list("outgoing.allow"), .ca_file = settings.text("outgoing.ca-cert")});
  if (!outgoing) return outgoing.error();
  return std::shared_ptr<const WebhookSender>(std::make_shared<WebhookSender>(
      WebhookSender{.outgoing = std::move(*outgoing), .secrets = std::move(*secrets), .now = [] {
                      SystemClock clock;
                      return clock.now();
                    }}));
}

Result<Handler> push_of(const Settings& settings, const HandlerSetting& setting,
                        const std::shared_ptr<const WebhookSender>& postman) {
  return push_handler(postman,
                      {.url = setting.url,
                       .replay = setting.replay,
                       .secret_name = setting.secret_name.empty() ? settings.text("push-secret")
                                                                  : setting.secret_name});
}

Result<std::vector<QueueOptions>> queues_of(const Settings& settings) {
  Result<std::map<std::string, int>> limits = limits_of(settings, "queue-limit");
  if (!limits) return limits.error();
  std::vector<QueueOptions> queues;
  for (const std::string& text : settings.list("queue")) {
    QueueOptions queue{.name = text};
    if (const auto pair = split(text)) {
      const auto weight = number_in(pair->value);
      if (!weight)
        return invalid("--queue " + text + ": the weight must be a number from 1 to 10000");
      queue.name = pair->name;
      queue.weight = *weight;
    }
    if (const auto limit = limits->find(queue.name); limit != limits->end()) {
      queue.concurrency = limit->second;
    }
    queues.push_back(std::move(queue));
  }
  return queues;
}

}  // namespace

Result<std::vector<NamedHandler>> work_handlers(const Settings& settings) {
  HandlerSettings all = settings.handlers();
  if (auto fault = add_flags(settings, "exec", "PROGRAM", all)) return *fault;
  if (auto fault = add_flags(settings, "push", "URL", all)) return *fault;
  Result<std::shared_ptr<const WebhookSender>> postman = postman_for(settings, all);
  if (!postman) return postman.error();
  Result<std::map<std::string, int>> limits = limits_of(settings, "type-limit");
  if (!limits) return limits.error();
  std::vector<NamedHandler> handlers;
  for (const auto& [type, setting] : all) {
    Result<Handler> handler =
        setting.url.empty() ? program_of(settings, setting) : push_of(settings, setting, *postman);
    if (!handler) return invalid(type + ": " + handler.error().message);
    const auto limit = limits->find(type);
    handlers.push_back(
        {type,
         std::move(*handler),
         {.concurrency = limit == limits->end() ? setting.concurrency : limit->second}});
    if (limit != limits->end()) limits->erase(limit);
  }
  if (handlers.empty()) {
    return invalid("no handlers: set --exec TYPE=PROGRAM or --push TYPE=URL at least once");
  }
  if (!limits->empty()) {
    return invalid("--type-limit: no handler for " + limits->begin()->first);
  }
  return handlers;
}

Result<WorkerOptions> worker_options(const Settings& settings, Log& log) {
  Result<std::vector<QueueOptions>> queues = queues_of(settings);
  if (!queues) return queues.error();
  WorkerOptions options{.concurrency = static_cast<int>(settings.natural("concurrency")),
                        .queues = std::move(*queues),
                        .grace = settings.duration("grace")};
  const Duration lease = settings.duration("lease-time");
  if (lease > Duration()) options.lease = lease;
  options.on_trouble = [&log](const Error& error) {
    if (error.refusal == Code::lease_lost)
      return log.warn("LEASE_LOST", {{"error", error.message}});
    log.warn(error.message);
  };
  return options;
}

}  // namespace longshore
