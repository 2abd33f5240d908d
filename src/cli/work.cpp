#include <unistd.h>

#include <array>
#include <memory>
#include <set>

#include "cli/command.h"
#include "cli/server_calls.h"
#include "client/server_leases.h"
#include "client/wire.h"
#include "core/names.h"
#include "longshore/worker.h"
#include "runtime/os_random.h"
#include "server/log.h"
#include "worker/program.h"
#include "worker/signals.h"

namespace longshore {
namespace {

struct Exec {
  std::string type;
  std::string program;
};

Result<std::vector<Exec>> programs_of(const Settings& settings) {
  std::vector<Exec> programs;
  std::set<std::string> seen;
  for (const std::string& text : settings.list("exec")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) {
      return Error{Errc::invalid, "--exec takes TYPE=PROGRAM, but is \"" + text + "\""};
    }
    Exec exec{text.substr(0, equals), text.substr(equals + 1)};
    if (auto fault = job_type_fault(exec.type)) {
      return Error{Errc::invalid, "--exec " + text + ": " + *fault};
    }
    if (auto fault = program_fault(exec.program)) {
      return Error{Errc::invalid, "--exec " + text + ": " + *fault};
    }
    if (!seen.insert(exec.type).second) {
      return Error{Errc::invalid, "--exec names two programs for " + exec.type};
    }
    programs.push_back(std::move(exec));
  }
  if (programs.empty()) {
    return Error{Errc::invalid, "nothing to run: give --exec TYPE=PROGRAM at least once"};
  }
  return programs;
}

std::string own_name(const Settings& settings) {
  if (const std::string given = settings.text("worker-name"); !given.empty()) return given;
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return std::string(host.data()) + ":" + std::to_string(::getpid());
}

// A server that is not there, or does not let us in, is better told now than in a log for ever. A
// request for leases that says nothing is refused for that, but only after its token was judged.
std::optional<Error> admission_fault(HttpClient& client) {
  Result<HttpReply> reply = client.send({.method = "POST", .path = "/leases", .body = "{}"});
  if (!reply) return reply.error();
  if (reply->status == 401 || reply->status == 403) return error_of(*reply);
  return std::nullopt;
}

WorkerOptions options_of(const Settings& settings, Log& log) {
  WorkerOptions options{.name = own_name(settings),
                        .concurrency = static_cast<int>(settings.natural("concurrency")),
                        .lease = settings.duration("lease-time"),
                        .grace = settings.duration("grace")};
  options.queues.clear();
  for (const std::string& queue : settings.list("queue")) options.queues.push_back({queue, 0});
  options.on_trouble = [&log](const Error& error) { log.warn(error.message); };
  return options;
}

}  // namespace

ExitCode run_work(const Invocation& invocation) {
  const Settings& settings = invocation.settings;
  Result<std::vector<Exec>> programs = programs_of(settings);
  if (!programs) return complain_usage(programs.error().message);
  Result<std::shared_ptr<HttpClient>> client = connect(settings);
  if (!client) return complain_usage(client.error().message);
  if (auto fault = admission_fault(**client)) return complain(*fault);
  Log log(log_format(settings), log_level(settings));
  WorkerOptions options = options_of(settings, log);
  const std::string name = options.name;
  Worker worker(std::make_shared<ServerLeases>(*client, name, std::make_unique<OsRandom>()),
                std::move(options));
  for (const Exec& exec : *programs) worker.handle(exec.type, program_handler(exec.program));
  // In good time, so that a signal never finds the worker unprepared.
  auto signals = std::make_unique<EndSignals>();
  if (Result<Nothing> started = worker.start(); !started) {
    return complain_usage(started.error().message);
  }
  log.info("working", {{"server", (*client)->url()}, {"worker", name}});
  signals->wait();
  signals.reset();  // a second signal ends the process
  log.info("stopping");
  const StopReport report = worker.stop();
  log.info("stopped", {{"released", report.released}, {"abandoned", report.abandoned}});
  return ExitCode::done;
}

}  // namespace longshore
