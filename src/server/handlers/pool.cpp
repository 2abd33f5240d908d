#include "server/handlers/pool.h"

#include <algorithm>
#include <utility>

#include "runtime/engine_leases.h"
#include "server/handlers/work_handlers.h"

namespace longshore {
namespace {

// A server stops within ten seconds, of which killing an unresponsive program takes two.
constexpr Duration grace_max = Duration::seconds(4);
constexpr Duration patience = Duration::seconds(3);

// Servers and workers may share a file, so handlers in it need the option pool; flags are always
// meant for this command.
bool is_wanted(const Settings& settings) {
  if (settings.boolean("pool")) return true;
  return std::ranges::any_of(settings.all(), [](const Setting& setting) {
    const Option& option = *setting.option;
    const bool names_handlers = option.name == "exec" || option.name == "push";
    const bool given = setting.source == flag_of(option) || setting.source == variable_of(option);
    return names_handlers && given && !setting.values.empty();
  });
}

// Contains the node's ID, so that the node can recover its own jobs after a crash.
std::string name_of(const Settings& settings, const Node& node) {
  const std::string given = settings.text("worker-name");
  return (given.empty() ? "pool" : given) + ":" + to_hex(node.id);
}

PoolDuties duties_of(const WorkerOptions& options, const std::vector<NamedHandler>& handlers) {
  PoolDuties duties{.worker = options.name, .queues = {}, .types = {}};
  for (const QueueOptions& queue : options.queues) duties.queues.insert(queue.name);
  for (const NamedHandler& named : handlers) duties.types.insert(named.type);
  return duties;
}

}  // namespace

Result<std::unique_ptr<Pool>> Pool::make(const Settings& settings, std::shared_ptr<Node> node,
                                         Log& log) {
  if (!is_wanted(settings)) return std::unique_ptr<Pool>();
  Result<WorkerOptions> options = worker_options(settings, log);
  if (!options) return options.error();
  Result<std::vector<NamedHandler>> handlers = work_handlers(settings);
  if (!handlers) return handlers.error();
  options->name = name_of(settings, *node);
  options->grace = std::min(options->grace, grace_max);
  options->patience = patience;
  PoolDuties duties = duties_of(*options, *handlers);
  auto leases = std::make_shared<PoolLeases>(node);
  std::unique_ptr<Pool> pool(new Pool(leases, std::move(*options), log));
  pool->stuck_ = std::make_unique<StuckJobs>(node, leases, std::move(duties), log);
  for (NamedHandler& named : *handlers) {
    pool->worker_.handle(named.type, std::move(named.handler), named.options);
  }
  return pool;
}

Pool::Pool(std::shared_ptr<Leases> leases, WorkerOptions options, Log& log)
    : log_(log), name_(options.name), worker_(std::move(leases), std::move(options)) {}

Result<Nothing> Pool::start() {
  if (Result<Nothing> started = worker_.start(); !started) return started;
  if (stuck_) stuck_->start();
  running_ = true;
  log_.info("working", {{"worker", name_}});
  return Nothing();
}

void Pool::stop() {
  if (stuck_) stuck_->stop();
  const StopReport report = worker_.stop();
  if (!std::exchange(running_, false)) return;
  log_.info("pool stopped", {{"released", report.released}, {"abandoned", report.abandoned}});
}

}  // namespace longshore
