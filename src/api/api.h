// The application behind the wire: finds the route of a request, lets in who may come, and gives
// handlers what they need to answer without blocking.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/admission/open_calls.h"
#include "api/admission/pressure.h"
#include "api/admission/shares.h"
#include "api/auth/gate.h"
#include "api/auth/token_gate.h"
#include "api/endpoints/endpoint.h"
#include "api/events/event_hub.h"
#include "api/jobs/waits.h"
#include "api/leases/lease_poll_registry.h"
#include "api/metrics/metrics.h"
#include "api/server/check_runner.h"
#include "api/wire/observer.h"
#include "api/wire/problem.h"
#include "api/wire/read_pool.h"
#include "api/wire/route.h"
#include "api/wire/router.h"
#include "api/wire/timers.h"
#include "core/net/secret_bindings.h"
#include "runtime/node/node.h"

namespace longshore {

// One line of what a server was started with, as people may see it.
struct ShownSetting {
  std::string name, value, source;
};

struct ApiOptions {
  std::shared_ptr<Gate> gate;                        // none: the TokenGate
  std::vector<std::shared_ptr<Observer>> observers;  // told in this order
  std::function<void(MetricText&)> metrics;          // adds families of the server's own
  bool reject_mismatch = false;  // a known idempotency key with another body is refused
  // Equal on all nodes: tokens are hashed with it, and requestIds of workers mixed with it.
  std::string secret;
  std::string session_key;  // see TokenGateOptions, as the two below
  bool require_tokens = false;
  TrustedProxies proxies;
  std::string version = "0";        // of the program, for the metrics
  SecretBindings secrets;           // which callbacks each webhook secret may sign
  std::vector<Endpoint> endpoints;  // REQUIRES: endpoints_fault says nothing
  std::string base_url;             // how browsers reach the server, where a proxy changes that
  std::vector<ShownSetting> configuration;  // without secrets
  std::vector<std::string> redact;          // members of payloads that the dashboard hides, by name
  ReadPoolOptions read_pool;
  PressureLimits pressure;
  LimitOptions limits;
};

// Safe to share between threads.
class Api final : public HttpApplication {
 public:
  // The node must not have been started yet: the Api listens to every commit. It is shared with
  // whoever starts it.
  Api(std::shared_ptr<Node> node, ApiOptions options);
  // Stops the node. The wire must have ended before.
  ~Api() override;

  std::size_t body_limit(std::string_view method, std::string_view target) const override;
  void handle(std::shared_ptr<HttpExchange> exchange) override;
  HttpResponse refuse(std::string_view code, std::string_view detail) override;

  // Whoever waits is answered at once, now and later: the server is about to end. Idempotent.
  void drain();
  bool draining() const { return draining_; }

  // ---- For handlers ---------------------------------------------------------------------------

  // Exactly one of these, once for each call, on any thread. See HttpExchange.
  void answer(const CallRef& call, HttpResponse response, std::function<void(bool)> written = {});
  void answer(const CallRef& call, const Problem& problem);
  std::shared_ptr<HttpStream> stream(const CallRef& call, HttpResponse head,
                                     std::size_t buffer_bytes);

  // `done` gets the verdict, on the committing thread: it must not block. A refusal or a failure
  // of the store does not come to it, but is answered.
  using Done = std::move_only_function<void(Verdict verdict)>;
  void submit(CallRef call, Command command, Done done);
  // The same for those who answer errors and refusals in their own way.
  void send(Command command, Answer answer);
  // See CommitQueue::submit_in_order and submit_bulk.
  void send_in_order(std::vector<Entry> entries);
  void send_bulk(Command command, Answer answer);

  // Runs on a thread that may block; it answers the call itself. A kind that is full is answered
  // OVERLOADED.
  void read(const CallRef& call, ReadKind kind, ReadPool::Read read);
  // Ends a list that takes longer than limits.scan-time from now on, or whose client is gone.
  ReadStop stop_of(const CallRef& call);
  // Runs on such a thread too, or here if the kind is full: for answers to what has happened that
  // take long to write.
  void later(std::move_only_function<void()> work);

  // What a failed call says, with a Retry-After that fits where the store has too much to do.
  Problem problem_of(const Error& error) const;

  Node& node() { return *node_; }
  const ApiOptions& options() const { return options_; }
  Timers& timers() { return timers_; }
  Waits& waits() { return waits_; }
  ReadPool& read_pool() { return read_pool_; }
  LeasePollRegistry& desk() { return desk_; }
  EventHub& events() { return events_; }
  TokenGate& tokens() { return *tokens_; }
  OpenCalls& open_calls() { return open_calls_; }
  Shares& shares() { return shares_; }
  CheckRunner& checks() { return checks_; }
  const Metrics& metrics() const { return metrics_; }
  const Pressure& pressure() const { return pressure_; }
  const Router& router() const { return router_; }

 private:
  void admit(const CallRef& call, Judgement judgement, const std::string& allow);
  std::optional<Problem> objection(const Call& call, const std::string& allow) const;
  std::optional<Problem> hold_request(Call& call);
  Answer timed(Answer answer);
  void answer_with(const CallRef& call, HttpResponse response, std::function<void(bool)> written,
                   const Problem* problem);
  void tell_observers(const Call& call, int status, std::size_t answer_bytes,
                      const Problem* problem);

  // Constant after construction.
  const std::shared_ptr<Node> node_;
  const ApiOptions options_;
  const std::vector<Route> table_;  // the API's own routes and the endpoints
  const Router router_;

  std::atomic<bool> draining_ = false;
  Shares shares_;
  Pressure pressure_;
  LeasePollRegistry desk_;
  Timers timers_;
  ReadPool read_pool_;
  Waits waits_;
  Metrics metrics_;
  OpenCalls open_calls_;
  const std::shared_ptr<TokenGate> tokens_;  // shared with the line below
  const std::shared_ptr<Gate> gate_;         // whoever was given in the options
  EventHub events_;
  CheckRunner checks_;
};

// True if the route's row names the role; admin may everything.
bool may(Role role, const Route& route);

}  // namespace longshore
