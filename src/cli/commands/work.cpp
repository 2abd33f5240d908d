#include <unistd.h>

#include <array>
#include <memory>
#include <thread>

#include "cli/client/server_calls.h"
#include "cli/command.h"
#include "cli/process_secrets.h"
#include "client/server/server_leases.h"
#include "client/wire/wire.h"
#include "longshore/worker.h"
#include "runtime/os_random.h"
#include "server/handlers/work_handlers.h"
#include "server/report/log.h"
#include "worker/signals.h"

namespace longshore {
namespace {

std::string worker_name(const Settings& settings) {
  if (const std::string given = settings.text("worker-name"); !given.empty()) return given;
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return std::string(host.data()) + ":" + std::to_string(::getpid());
}

// Finds an unreachable server or an invalid token before the worker starts. An empty lease request
// is rejected as invalid, but only after the token was checked.
std::optional<Error> access_error(HttpClient& client) {
  Result<HttpReply> reply = client.send({.method = "POST", .path = "/leases", .body = "{}"});
  if (!reply) return reply.error();
  if (reply->status == 401 || reply->status == 403) return error_of(*reply);
  return std::nullopt;
}

// Stops the worker at the first signal, and at once at the second one.
StopReport stop_by_signal(EndSignals& signals, Worker& worker, Log& log) {
  signals.wait();
  log.info("stopping");
  std::jthread second([&](const std::stop_token& stop) {
    if (!signals.wait(stop)) return;
    log.info("stopping at once");
    worker.hurry();
  });
  return worker.stop();
}

}  // namespace

ExitCode run_work(const Invocation& invocation) {
  keep_memory_private();
  const Settings& settings = invocation.settings;
  Log log(log_format(settings), log_level(settings));
  Result<WorkerOptions> options = worker_options(settings, log);
  if (!options) return usage_error(options.error().message);
  Result<std::vector<NamedHandler>> handlers = work_handlers(settings);
  if (!handlers) return usage_error(handlers.error().message);
  Result<std::shared_ptr<HttpClient>> client = connect(settings);
  if (!client) return usage_error(client.error().message);
  if (auto fault = access_error(**client)) return print_error(*fault);
  const std::string name = worker_name(settings);
  options->name = name;
  Worker worker(std::make_shared<ServerLeases>(*client, name, std::make_unique<OsRandom>()),
                std::move(*options));
  for (NamedHandler& named : *handlers) {
    worker.handle(named.type, std::move(named.handler), named.options);
  }
  // Blocks the signals before the worker starts its threads.
  EndSignals signals;
  if (Result<Nothing> started = worker.start(); !started) {
    return usage_error(started.error().message);
  }
  log.info("working", {{"server", (*client)->url()}, {"worker", name}});
  const StopReport report = stop_by_signal(signals, worker, log);
  log.info("stopped", {{"released", report.released}, {"abandoned", report.abandoned}});
  return ExitCode::done;
}

}  // namespace longshore
