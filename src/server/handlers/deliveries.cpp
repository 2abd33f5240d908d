#include "server/handlers/deliveries.h"

#include <utility>

#include "client/delivery/callback_delivery.h"
#include "core/rules/callback.h"
#include "core/time/clock.h"
#include "runtime/engine_leases.h"
#include "server/settings/secret_files.h"
#include "worker/worker_pool.h"

namespace longshore {
namespace {

constexpr Duration grace = Duration::seconds(2);
constexpr Duration patience = Duration::seconds(1);

bool is_over(State state) {
  return state == State::success || state == State::dead || state == State::canceled;
}

// The node's leases, for another namespace.
class NamespaceLeases final : public Leases {
 public:
  NamespaceLeases(std::shared_ptr<Node> node, std::string ns)
      : inner_(std::move(node)), ns_(std::move(ns)) {}

  Result<Turned> turn(Turn turn, std::stop_token stop) override {
    name(turn);
    return inner_.turn(std::move(turn), std::move(stop));
  }
  void begin_turn(Turn turn, std::stop_token stop, Answer answer) override {
    name(turn);
    inner_.begin_turn(std::move(turn), std::move(stop), std::move(answer));
  }
  Instant now() override { return inner_.now(); }
  void wait_until(Instant at, std::stop_token stop) override {
    inner_.wait_until(at, std::move(stop));
  }

 private:
  void name(Turn& turn) const {
    if (turn.claim) turn.claim->ns = ns_;
    for (Command& word : turn.words) {
      std::visit(
          [this]<class Said>(Said& said) {
            if constexpr (requires { said.ns = ns_; }) said.ns = ns_;
            if constexpr (std::is_same_v<Said, SeeWorkers>) {
              for (WorkerInfo& info : said.workers) info.ns = ns_;
            }
          },
          word);
    }
  }

  EngineLeases inner_;
  const std::string ns_;
};

}  // namespace

Result<std::unique_ptr<Deliveries>> Deliveries::make(const Settings& settings,
                                                     std::shared_ptr<Node> node, Log& log) {
  Result<Secrets> secrets = webhook_secrets(settings);
  if (!secrets) return secrets.error();
  Result<std::shared_ptr<Outgoing>> outgoing = Outgoing::make(
      {.allow = settings.list("outgoing.allow"), .ca_file = settings.text("outgoing.ca-cert")});
  if (!outgoing) return outgoing.error();
  auto postman = std::make_shared<WebhookSender>(WebhookSender{
      .outgoing = std::move(*outgoing), .secrets = std::move(*secrets), .now = [node] {
        return node->time().wall().now();
      }});
  std::unique_ptr<Deliveries> deliveries(new Deliveries(std::move(node), log, std::move(postman)));
  deliveries->timeout_ = settings.duration("outgoing.timeout");
  deliveries->concurrency_ = static_cast<int>(settings.natural("outgoing.concurrency"));
  deliveries->node_->engine().listen(
      [own = deliveries.get()](const Committed& committed) { own->look_at(committed); });
  return deliveries;
}

Deliveries::Deliveries(std::shared_ptr<Node> node, Log& log,
                       std::shared_ptr<const WebhookSender> postman)
    : node_(std::move(node)), log_(log), postman_(std::move(postman)) {}

Deliveries::~Deliveries() { stop(); }

void Deliveries::start() {
  if (concurrency_ == 0) return;
  for (const std::string& ns : left_over()) wanted(ns);
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Deliveries::stop() {
  if (!thread_.joinable()) return;
  thread_.request_stop();
  thread_.join();
  for (const auto& [ns, crew] : crews_) crew->stop();
  crews_.clear();
}

// Called on the committing thread, so slow work is left to thread_.
void Deliveries::look_at(const Committed& committed) {
  for (const JobEvent& one : committed.events) {
    if (one.queue == callback_queue && one.type == callback_type) wanted(one.ns);
  }
}

void Deliveries::wanted(const std::string& ns) {
  MutexLock lock(mutex_);
  if (!known_.insert(ns).second) return;
  wanted_.insert(ns);
  came_.notify_one();
}

void Deliveries::run(const std::stop_token& stop) {
  const std::stop_callback wake(stop, [this] {
    MutexLock lock(mutex_);
    came_.notify_one();
  });
  while (true) {
    std::set<std::string> namespaces;
    {
      MutexLock lock(mutex_);
      while (wanted_.empty() && !stop.stop_requested()) came_.wait(mutex_);
      namespaces = std::exchange(wanted_, {});
    }
    if (stop.stop_requested()) return;
    for (const std::string& ns : namespaces) begin(ns);
  }
}

void Deliveries::begin(const std::string& ns) {
  WorkerOptions options{.name = "callbacks:" + to_hex(node_->id),
                        .concurrency = concurrency_,
                        .queues = {{.name = std::string(callback_queue)}},
                        .grace = grace,
                        .patience = patience};
  options.on_trouble = [this](const Error& error) { log_.debug(error.message); };
  auto crew = std::make_shared<WorkerPool>(std::make_shared<NamespaceLeases>(node_, ns),
                                           std::move(options));
  crew->add_own(
      std::string(callback_type),
      callback_handler(postman_, ns, timeout_,
                       [this, ns](const JobId& job) { return node_->catalog().get(ns, job); }),
      {});
  if (Result<Nothing> started = crew->start(); !started) {
    return log_.error("cannot deliver callbacks", {{"error", started.error().message}});
  }
  crews_[ns] = std::move(crew);
}

// Finds callbacks that other or earlier servers left undelivered.
std::set<std::string> Deliveries::left_over() {
  std::set<std::string> namespaces = {node_->options().ns};
  if (Result<std::vector<TokenRecord>> tokens = node_->catalog().tokens()) {
    for (const TokenRecord& token : *tokens) namespaces.insert(token.ns);
  }
  std::erase_if(namespaces, [this](const std::string& ns) {
    const Result<std::vector<QueueView>> queues =
        node_->catalog().queues(ns, std::string(callback_queue), 1);
    if (!queues) return false;  // check again later
    for (const QueueView& queue : *queues) {
      if (queue.queue != callback_queue) continue;
      for (const auto& [state, depth] : queue.depth) {
        if (!is_over(state) && depth > 0) return false;
      }
    }
    return true;
  });
  return namespaces;
}

}  // namespace longshore
