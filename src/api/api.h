// The HTTP application: routes, authenticates and authorizes requests, and gives handlers what they
// need to answer without blocking.
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

// One setting of the server, safe to show.
struct ShownSetting {
  std::string name, value, source;
};

struct ApiOptions {
  std::shared_ptr<Gate> gate;                        // none: the TokenGate
  std::vector<std::shared_ptr<Observer>> observers;  // called in this order
  std::function<void(MetricText&)> metrics;          // adds the server's own families
  bool reject_mismatch = false;  // refuse a known idempotency key with another body
  // Equal on all nodes: a key for the hashes of tokens and of workers' requestIds.
  std::string secret;
  std::string session_key;  // see TokenGateOptions, as the two below
  bool require_tokens = false;
  TrustedProxies proxies;
  std::string version = "0";                // of the program, for the metrics
  SecretBindings secrets;                   // which callbacks each webhook secret may sign
  std::vector<Endpoint> endpoints;          // REQUIRES: endpoints_fault returns nothing
  std::string base_url;                     // the public URL, if a proxy changes it
  std::vector<ShownSetting> configuration;  // without secrets
  std::vector<std::string> redact;          // names of payload members that the dashboard hides
  ReadPoolOptions read_pool;
  PressureLimits pressure;
  LimitOptions limits;
};

// Safe to share between threads.
class Api final : public HttpApplication {
 public:
  // The node must not have been started yet: the Api listens to every commit. It is shared with its
  // starter.
  Api(std::shared_ptr<Node> node, ApiOptions options);
  // Stops the node. The HTTP server must have stopped before.
  ~Api() override;

  std::size_t body_limit(std::string_view method, std::string_view target) const override;
  void handle(std::shared_ptr<HttpExchange> exchange) override;
  HttpResponse refuse(std::string_view code, std::string_view detail) override;

  // The server is about to stop: waiting calls are answered at once, now and later. Idempotent.
  void drain();
  bool draining() const { return draining_; }

  // ---- For handlers ---------------------------------------------------------------------------

  // Exactly one of these, once for each call, on any thread. See HttpExchange.
  void answer(const CallRef& call, HttpResponse response, std::function<void(bool)> written = {});
  void answer(const CallRef& call, const Problem& problem);
  std::shared_ptr<HttpStream> stream(const CallRef& call, HttpResponse head,
                                     std::size_t buffer_bytes);

  // `done` gets the verdict, on the committing thread: it must not block. Refusals and failures of
  // the store are answered instead.
  using Done = std::move_only_function<void(Verdict verdict)>;
  void submit(CallRef call, Command command, Done done);
  // The same for handlers that answer failures and refusals themselves.
  void send(Command command, Answer answer);
  // See CommitQueue::submit_in_order and submit_bulk.
  void send_in_order(std::vector<Entry> entries);
  void send_bulk(Command command, Answer answer);

  // Runs `read` on the read pool; it answers the call. If the pool is full, the answer is
  // OVERLOADED.
  void read(const CallRef& call, ReadKind kind, ReadPool::Read read);
  // Ends a list that takes longer than limits.scan-time from now, or whose client disconnected.
  ReadStop stop_of(const CallRef& call);
  // Runs `work` on the read pool, or here if it is full: for large answers to completed commands.
  void later(std::move_only_function<void()> work);

  // The problem of a failed call; with a Retry-After if the store is overloaded.
  Problem problem_of(const Error& error) const;

  Node& node() { return *node_; }
  const ApiOptions& options() const { return options_; }
  Timers& timers() { return timers_; }
  Waits& waits() { return waits_; }
  ReadPool& read_pool() { return read_pool_; }
  LeasePollRegistry& lease_polls() { return lease_polls_; }
  EventHub& events() { return events_; }
  TokenGate& tokens() { return *tokens_; }
  OpenCalls& open_calls() { return open_calls_; }
  Shares& shares() { return shares_; }
  CheckRunner& checks() { return checks_; }
  const Metrics& metrics() const { return metrics_; }
  const Pressure& pressure() const { return pressure_; }
  const Router& router() const { return router_; }

 private:
  void admit(const CallRef& call, AuthResult result, const std::string& allow);
  std::optional<Problem> admission_problem(const Call& call, const std::string& allow) const;
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
  LeasePollRegistry lease_polls_;
  Timers timers_;
  ReadPool read_pool_;
  Waits waits_;
  Metrics metrics_;
  OpenCalls open_calls_;
  const std::shared_ptr<TokenGate> tokens_;  // shared with gate_
  const std::shared_ptr<Gate> gate_;         // from the options, else tokens_
  EventHub events_;
  CheckRunner checks_;
};

// True if the route allows the role; an admin may use every route.
bool may(Role role, const Route& route);

}  // namespace longshore
