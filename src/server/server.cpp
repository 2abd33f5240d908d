#include "server/server.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "core/time/clock.h"
#include "server/report/notify.h"
#include "server/settings/secret_files.h"
#include "server/settings/session_key.h"

namespace longshore {
namespace {

// Logs requests: all at debug, server errors at warn.
class AccessLog final : public Observer {
 public:
  explicit AccessLog(Log& log) : log_(log) {}

  void answered(const Exchanged& exchanged) override {
    const bool ours = exchanged.status >= 500 && exchanged.status != 503;
    log_.write(ours ? LogLevel::warn : LogLevel::debug, "request",
               {{"requestId", std::string(exchanged.request_id)},
                {"method", std::string(exchanged.method)},
                {"path", std::string(exchanged.path)},
                {"status", exchanged.status},
                {"millis", exchanged.took.count()},
                {"caller", std::string(exchanged.caller)},
                {"peer", std::string(exchanged.peer)}});
  }

 private:
  Log& log_;
};

// Lowers the limits on bodies to those of the settings, and reports requests rejected before they
// were read.
class LimitedBodies final : public HttpApplication {
 public:
  LimitedBodies(HttpApplication& inner, const Settings& settings,
                std::shared_ptr<Incidents> incidents)
      : inner_(inner),
        incidents_(std::move(incidents)),
        usual_(static_cast<std::size_t>(settings.natural("limits.body-bytes"))),
        batch_(static_cast<std::size_t>(settings.natural("limits.batch-bytes"))) {}

  std::size_t body_limit(std::string_view method, std::string_view target) const override {
    const std::size_t allowed = inner_.body_limit(method, target);
    constexpr std::size_t usual_most = 2 * 1024 * 1024;
    return std::min(allowed, allowed > usual_most ? batch_ : usual_);
  }
  void handle(std::shared_ptr<HttpExchange> exchange) override {
    inner_.handle(std::move(exchange));
  }
  HttpResponse refuse(std::string_view code, std::string_view detail) override {
    incidents_->refused(code, detail);
    return inner_.refuse(code, detail);
  }

 private:
  HttpApplication& inner_;
  const std::shared_ptr<Incidents> incidents_;
  const std::size_t usual_;
  const std::size_t batch_;
};

Result<std::optional<HttpTlsFiles>> tls_files(const Settings& settings) {
  HttpTlsFiles files{.certificate = settings.text("tls-cert"), .key = settings.text("tls-key")};
  if (files.certificate.empty() != files.key.empty()) {
    return Error{Errc::invalid, "tls-cert and tls-key must both be set"};
  }
  if (files.certificate.empty()) return std::optional<HttpTlsFiles>();
  return std::optional<HttpTlsFiles>(std::move(files));
}

HttpOptions http_options(const Settings& settings, const ListenAddress& address,
                         std::optional<HttpTlsFiles> tls) {
  HttpOptions options;
  options.address = address.host;
  options.port = address.port;
  options.tls = std::move(tls);
  options.connections = static_cast<std::size_t>(settings.natural("limits.connections"));
  options.header_time = settings.duration("limits.header-time");
  options.body_time = settings.duration("limits.body-time");
  options.idle_time = settings.duration("limits.idle-time");
  return options;
}

LimitOptions limits_of(const Settings& settings) {
  const auto count = [&](std::string_view option) {
    return static_cast<std::size_t>(settings.natural(option));
  };
  return {.requests = count("limits.requests"),
          .bytes = count("limits.bytes"),
          .streams = count("limits.streams"),
          .polls = count("limits.polls"),
          .queues = count("limits.queues"),
          .share = settings.fraction("limits.share"),
          .scan_time = settings.duration("limits.scan-time")};
}

int io_threads(const Settings& settings) {
  const int asked = static_cast<int>(settings.natural("io-threads"));
  if (asked > 0) return asked;
  return std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 4);
}

std::string durability_word(Durability durability) {
  return durability == Durability::a ? "A" : durability == Durability::b ? "B" : "C";
}

}  // namespace

Result<std::unique_ptr<Server>> Server::start(const Settings& settings, Log& log) {
  std::unique_ptr<Server> server(new Server(log));
  if (Result<Nothing> opened = server->open(settings); !opened) return opened.error();
  if (Result<Nothing> served = server->serve(settings); !served) return served.error();
  return server;
}

Result<Nothing> Server::open(const Settings& settings) {
  Result<OpenOptions> options = open_options(settings);
  if (!options) return options.error();
  Result<std::shared_ptr<Node>> node = make_node(settings.text("store"), *options);
  if (!node) return node.error();
  node_ = std::move(*node);
  if (auto fault = durability_fault(node_->capabilities(), settings.text("accept-durability"))) {
    return *fault;
  }
  if (!node_->identity_warning().empty()) {
    log_.warn("new node identity: this node cannot recover the jobs of an earlier run",
              {{"why", node_->identity_warning()}});
  }
  watch_store(settings);
  if (const ClockReport clock = node_->clock(); !clock.alarm.empty()) {
    log_.warn("the store's clock", {{"detail", clock.alarm}});
  }
  node_->listen_for_clock_steps([&log = log_](const std::string& how) {
    log.warn("the clock was set", {{"detail", how}});
  });
  ApiOptions api;
  api.observers.push_back(std::make_shared<AccessLog>(log_));
  api.observers.push_back(incidents_);
  api.metrics = [node = node_, incidents = incidents_](MetricText& text) {
    incidents->write_metrics(text, node->condition());
  };
  api.reject_mismatch = settings.text("idempotency.mismatch") == "reject";
  api.secret = settings.text("token-key");
  Result<std::string> sealing = session_key(settings);
  if (!sealing) return sealing.error();
  api.session_key = std::move(*sealing);
  api.require_tokens = settings.boolean("require-tokens");
  Result<TrustedProxies> proxies = TrustedProxies::make(settings.list("trusted-proxies"));
  if (!proxies) return proxies.error();
  api.proxies = std::move(*proxies);
  api.limits = limits_of(settings);
  api.version = LONGSHORE_VERSION;
  api.endpoints = settings.endpoints();
  Result<Secrets> secrets = webhook_secrets(settings);
  if (!secrets) return secrets.error();
  api.secrets = secrets->bindings();
  if (!settings.list("secrets").empty()) {
    log_.warn("--secrets signs only pushes; callbacks need [secrets.NAME]");
  }
  api.base_url = settings.text("base-url");
  api.redact = settings.list("ui.redact");
  for (const Setting& setting : settings.all()) {
    api.configuration.push_back({.name = std::string(setting.option->name),
                                 .value = shown_value(setting),
                                 .source = setting.source});
  }
  api_ = std::make_unique<Api>(node_, std::move(api));
  Result<std::unique_ptr<Deliveries>> deliveries = Deliveries::make(settings, node_, log_);
  if (!deliveries) return deliveries.error();
  deliveries_ = std::move(*deliveries);
  Result<std::unique_ptr<Pool>> pool = Pool::make(settings, node_, log_);
  if (!pool) return pool.error();
  pool_ = std::move(*pool);
  if (Result<Nothing> started = node_->start(); !started) return started;
  log_rule_conflicts();
  Configure wanted = configuration_of(settings, node_->options().ns);
  Result<Configure> known = node_->catalog().configuration();
  if (!known) return known.error();
  if (known->queues == wanted.queues && known->types == wanted.types) return Nothing();
  Result<Done> configured = node_->ask_for<Done>(std::move(wanted));
  if (!configured) return configured.error();
  return Nothing();
}

void Server::watch_store(const Settings& settings) {
  incidents_ = std::make_shared<Incidents>(log_, settings.duration("log-repeat"), steady_micros());
  node_->listen_for_losses([&log = log_](const std::string& how) {
    log.error("store lost acknowledged commits", {{"detail", how}});
  });
  node_->listen_for_condition([incidents = incidents_](const StoreCondition& condition) {
    incidents->condition_changed(condition);
  });
  if (const StoreCondition condition = node_->condition(); !condition.trouble.empty()) {
    incidents_->condition_changed(condition);
  }
  Engine& engine = node_->engine();
  engine.listen(
      [incidents = incidents_](const Committed&) { incidents->store_answered(steady_micros()); });
  engine.listen_for_failures([incidents = incidents_](const Error& error) {
    incidents->store_failed(error, steady_micros());
  });
}

void Server::watch() { incidents_->look(http_->troubles(), steady_micros()); }

void Server::log_rule_conflicts() {
  for (const RuleDifference& conflict : node_->rule_conflicts()) {
    log_.warn(difference_text(conflict) + "; the store's is used",
              {{"rule", conflict.name}, {"store", conflict.from}, {"here", conflict.to}});
  }
}

Result<Nothing> Server::serve(const Settings& settings) {
  Result<ListenAddress> address = parse_listen_address(settings.text("listen"));
  if (!address) return address.error();
  Result<std::optional<HttpTlsFiles>> tls = tls_files(settings);
  if (!tls) return tls.error();
  Result<std::vector<TokenRecord>> tokens = node_->catalog().tokens();
  if (!tokens) return tokens.error();
  secure_ = tls->has_value();
  const ListenSecurity exposure{
      .loopback = address->is_loopback(),
      .has_tokens = !tokens->empty() || settings.boolean("require-tokens"),
      .secure = secure_,
      .plaintext_wanted = settings.boolean("allow-plaintext")};
  if (auto fault = listen_fault(exposure, address->text())) return *fault;
  limited_ = std::make_unique<LimitedBodies>(*api_, settings, incidents_);
  http_ =
      std::make_unique<HttpServer>(*limited_, http_options(settings, *address, std::move(*tls)));
  Result<std::uint16_t> port = http_->listen();
  if (!port) return port.error();
  address_ = *address;
  address_.port = *port;
  const int threads = io_threads(settings);
  const std::string base = settings.text("base-url");
  http_->start(threads);
  deliveries_->start();
  if (pool_) {
    if (Result<Nothing> started = pool_->start(); !started) return started;
  }
  log_.info("serving", {{"address", address_.text()},
                        {"url", base.empty() ? own_url() : base},
                        {"store", without_password(settings.text("store"))},
                        {"durability", durability_word(node_->condition().durability)},
                        {"profile", node_->rules()->profile},
                        {"node", node_->options().node_name},
                        {"ioThreads", threads}});
  notify_manager("READY=1");
  return Nothing();
}

std::string Server::own_url() const { return (secure_ ? "https://" : "http://") + address_.text(); }

Server::~Server() { stop(Duration()); }

void Server::stop(Duration longest) {
  // Stopped concurrently, since each takes time.
  std::jthread working([this] {
    if (pool_) pool_->stop();
  });
  std::jthread delivering([this] {
    if (deliveries_) deliveries_->stop();
  });
  if (http_) {
    notify_manager("STOPPING=1");
    http_->stop_accepting();
    api_->drain();
    const bool in_time = http_->drain(longest);
    if (!in_time)
      log_.warn("closed open connections",
                {{"connections", static_cast<std::int64_t>(http_->connections())}});
    http_->stop();
  }
  http_.reset();
  limited_.reset();
  working.join();
  delivering.join();
  if (node_) node_->stop();
  if (incidents_) incidents_->finish(steady_micros());
  pool_.reset();
  deliveries_.reset();
  api_.reset();
}

void Server::reload() {
  if (!secure_) return log_.info("nothing to reload: TLS is not used");
  if (Result<Nothing> reloaded = http_->reload_tls(); !reloaded) {
    return log_.error("TLS reload failed, keeping the old certificate",
                      {{"error", reloaded.error().message}});
  }
  log_.info("TLS reloaded");
}

}  // namespace longshore
