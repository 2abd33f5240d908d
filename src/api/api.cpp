#include "api/api.h"

#include <algorithm>
#include <utility>

#include "api/endpoints/routes.h"
#include "api/wire/media_type.h"
#include "api/wire/query.h"
#include "api/wire/trace.h"
#include "api/wire/url.h"
#include "core/assert.h"

namespace longshore {
namespace {

std::string request_id_for(const HttpRequest& request, Ids& ids) {
  const std::string_view given = request.header("X-Request-Id");
  return is_sane_request_id(given) ? std::string(given) : to_hex(ids.any<RequestId>());
}

Problem method_not_allowed(const std::string& allow) {
  return {.code = Code::method_not_allowed,
          .detail = "Allowed methods for this path: " + allow,
          .headers = {{"Allow", allow}}};
}

// Reports about running jobs are never refused, nor are routes that need no token.
bool is_never_refused(const Route& route) {
  return std::ranges::any_of(route.roles, [&](Role role) {
    return role == Role::anyone || (role == Role::worker && route.load == Load::vital);
  });
}

std::string roles_text(const Route& route) {
  if (route.roles.empty()) return "the admin role";
  std::string roles;
  for (const Role role : route.roles) roles += std::string(to_text(role)) + ", ";
  return "one of the roles " + roles + "admin";
}

Problem overloaded(int retry_after) {
  return {.code = Code::overloaded,
          .detail = "Server overloaded; the request was not processed. Retry after " +
                    std::to_string(retry_after) + " s.",
          .retry_after = retry_after};
}

}  // namespace

namespace {

TokenGateOptions gate_options(const ApiOptions& options) {
  return {.token_key = options.secret,
          .session_key = options.session_key,
          .base_url = options.base_url,
          .require_tokens = options.require_tokens,
          .proxies = options.proxies};
}

// Answers are private: not cached, and with no content sniffing. Files of the dashboard set their
// own Cache-Control.
void add_safe_headers(HttpResponse& response) {
  const auto has = [&](std::string_view name) {
    return std::ranges::find(response.headers, name, &HttpHeader::name) != response.headers.end();
  };
  if (!has("X-Content-Type-Options")) {
    response.headers.push_back({"X-Content-Type-Options", "nosniff"});
  }
  if (!has("Cache-Control")) response.headers.push_back({"Cache-Control", "no-store"});
}

}  // namespace

bool may(Role role, const Route& route) {
  if (role == Role::admin) return true;
  return std::ranges::any_of(
      route.roles, [&](Role allowed) { return allowed == Role::anyone || allowed == role; });
}

Api::Api(std::shared_ptr<Node> node, ApiOptions options)
    : node_(std::move(node)),
      options_(std::move(options)),
      table_(routes_with(options_.endpoints)),
      router_(table_),
      shares_(options_.limits),
      pressure_(options_.pressure),
      timers_(node_->time()),
      read_pool_(node_->catalog(), options_.read_pool),
      waits_(timers_, read_pool_, node_->capabilities().shared),
      metrics_(table_),
      tokens_(std::make_shared<TokenGate>(*node_, timers_, read_pool_, open_calls_,
                                          gate_options(options_))),
      gate_(options_.gate ? options_.gate : tokens_),
      events_(node_->catalog(), node_->time(), node_->id, {.readers_max = options_.limits.streams}),
      checks_(node_->catalog(), node_->time()) {
  node_->engine().listen([this](const Committed& committed) {
    pressure_.note(committed, node_->time().now(), node_->engine().commits_waiting());
    waits_.on_commit(committed);
    metrics_.on_commit(committed);
    events_.on_commit(committed);
  });
  node_->listen_for_hints([this](const std::vector<std::string>& queues) { events_.hint(queues); });
  tokens_->start();
}

Api::~Api() {
  drain();
  node_->stop();
  read_pool_.stop();
  timers_.stop();
}

void Api::drain() {
  draining_ = true;
  node_->engine().stop_dispatching();
  waits_.wake_all();
  checks_.stop();
  events_.stop();
}

std::size_t Api::body_limit(std::string_view method, std::string_view target) const {
  const std::optional<Target> parsed = parse_target(target);
  if (!parsed) return body_bytes_max;
  const Router::Match match = router_.find(method, parsed->segments);
  return match.route == nullptr ? body_bytes_max : match.route->body_limit;
}

void Api::handle(std::shared_ptr<HttpExchange> exchange) {
  auto call = std::make_shared<Call>();
  call->exchange = std::move(exchange);
  call->began = node_->time().now();
  const HttpRequest& request = call->request();
  call->request_id = request_id_for(request, node_->ids());
  if (request.target == "*") return answer(call, HttpResponse{.status = 204, .content_type = ""});
  std::optional<Target> target = parse_target(request.target);
  if (!target) {
    return answer(call, Problem{.code = Code::bad_request,
                                .detail = "Invalid percent-encoding in the path or query"});
  }
  call->path = target->path;
  call->query = std::move(target->query);
  Router::Match match = router_.find(request.method, target->segments);
  call->route = match.route;
  call->parameters = std::move(match.parameters);
  gate_->authenticate(call, [this, call, allow = std::move(match.allow)](AuthResult result) {
    admit(call, std::move(result), allow);
  });
}

void Api::admit(const CallRef& call, AuthResult result, const std::string& allow) {
  if (const auto* problem = std::get_if<Problem>(&result)) return answer(call, *problem);
  call->caller = std::get<Caller>(std::move(result));
  if (const auto problem = admission_problem(*call, allow)) return answer(call, *problem);
  if (const auto problem = hold_request(*call)) return answer(call, *problem);
  call->route->handle(*this, call);
}

std::optional<Problem> Api::hold_request(Call& call) {
  const std::size_t bytes = call.request().body.size();
  std::vector<Shares::Amount> amounts = {{Limit::requests, 1}};
  if (bytes > 0) amounts.push_back({Limit::bytes, bytes});
  if (is_never_refused(*call.route)) {
    call.hold = shares_.count(call.caller, std::move(amounts));
    return std::nullopt;
  }
  auto taken = shares_.take(call.caller, std::move(amounts));
  if (auto* problem = std::get_if<Problem>(&taken)) return std::move(*problem);
  call.hold = std::get<Shares::HoldRef>(std::move(taken));
  return std::nullopt;
}

std::optional<Problem> Api::admission_problem(const Call& call, const std::string& allow) const {
  if (call.route == nullptr) {
    if (allow.empty()) return not_found("No such path");
    return method_not_allowed(allow);
  }
  if (!may(call.caller.role, *call.route)) {
    return Problem{.code = Code::forbidden,
                   .detail = "Forbidden: this needs " + roles_text(*call.route)};
  }
  // Routes with a body accept no query parameters, unless their row names some.
  if (!call.route->body.empty() && call.route->query.empty()) {
    if (auto problem = Query(call).problem()) return problem;
  }
  if (const auto wait = pressure_.refuses(call.route->load, node_->engine().commits_waiting())) {
    return overloaded(*wait);
  }
  const HttpRequest& request = call.request();
  const bool any_body = call.route->method == "GET" || call.route->endpoint != nullptr;
  if (!any_body && !request.body.empty()) return media_type_problem(request);
  return std::nullopt;
}

HttpResponse Api::refuse(std::string_view code, std::string_view detail) {
  Problem problem{.code = Code::bad_request, .detail = std::string(detail)};
  for (const ProblemKind& kind : problem_kinds()) {
    if (to_text(kind.code) == code) problem.code = kind.code;
  }
  if (problem.code == Code::overloaded) problem.retry_after = 1;
  HttpResponse response = to_response(problem);
  response.headers.push_back({"X-Request-Id", to_hex(node_->ids().any<RequestId>())});
  add_safe_headers(response);
  return response;
}

void Api::answer(const CallRef& call, HttpResponse response, std::function<void(bool)> written) {
  answer_with(call, std::move(response), std::move(written), nullptr);
}

void Api::answer_with(const CallRef& call, HttpResponse response, std::function<void(bool)> written,
                      const Problem* problem) {
  LONGSHORE_ASSERT(!call->answered.exchange(true), "a call is answered once");
  response.headers.push_back({"X-Request-Id", call->request_id});
  add_safe_headers(response);
  tell_observers(*call, response.status, response.body.size(), problem);
  call->exchange->answer(std::move(response), std::move(written));
}

void Api::answer(const CallRef& call, const Problem& problem) {
  answer_with(call, to_response(problem), {}, &problem);
}

std::shared_ptr<HttpStream> Api::stream(const CallRef& call, HttpResponse head,
                                        std::size_t buffer_bytes) {
  LONGSHORE_ASSERT(!call->answered.exchange(true), "a call is answered once");
  head.headers.push_back({"X-Request-Id", call->request_id});
  add_safe_headers(head);
  tell_observers(*call, head.status, 0, nullptr);
  return call->exchange->stream(std::move(head), buffer_bytes);
}

void Api::submit(CallRef call, Command command, Done done) {
  send(std::move(command),
       [this, call = std::move(call), done = std::move(done)](Result<Answered> answered) mutable {
         if (!answered) return answer(call, problem_of(answered.error()));
         if (const auto* refusal = std::get_if<Refusal>(&answered->verdict)) {
           return answer(call, to_problem(*refusal));
         }
         done(std::move(answered->verdict));
       });
}

Answer Api::timed(Answer answer) {
  const Instant sent = node_->time().now();
  return [this, sent, answer = std::move(answer)](Result<Answered> answered) mutable {
    metrics_.commit_took(node_->time().now() - sent);
    answer(std::move(answered));
  };
}

void Api::send(Command command, Answer answer) {
  node_->engine().submit(std::move(command), timed(std::move(answer)));
}

void Api::send_in_order(std::vector<Entry> entries) {
  for (Entry& entry : entries) entry.answer = timed(std::move(entry.answer));
  node_->engine().submit_in_order(std::move(entries));
}

void Api::send_bulk(Command command, Answer answer) {
  node_->engine().submit_bulk(std::move(command), std::move(answer));
}

void Api::read(const CallRef& call, ReadKind kind, ReadPool::Read read) {
  if (kind == ReadKind::scan) {
    call->exchange->on_gone([weak = std::weak_ptr(call)] {
      if (const auto known = weak.lock()) known->gone = true;
    });
    read = [this, call, read = std::move(read)](Catalog& catalog) mutable {
      if (!call->gone) return read(catalog);
      answer(call, Problem{.code = Code::store_unavailable, .detail = "The client disconnected"});
    };
  }
  if (read_pool_.push(kind, read, call->caller.ns)) return;
  answer(call, overloaded(1));
}

ReadStop Api::stop_of(const CallRef& call) {
  const Duration most = options_.limits.scan_time;
  const Instant end = most == Duration::forever() ? Instant::never() : timers_.now() + most;
  return [this, call, most, end]() -> std::optional<Error> {
    if (call->gone) return Error{Errc::unavailable, "The client disconnected"};
    if (timers_.now() < end) return std::nullopt;
    return Error{Errc::overloaded, "limits.scan-time: the list was ended after " +
                                       std::to_string(most.count() / 1000) +
                                       " s; narrow the filter or the time span"};
  };
}

void Api::later(std::move_only_function<void()> work) {
  ReadPool::Read read = [work = std::move(work)](Catalog&) mutable { work(); };
  // The command was committed, so its answer must not be refused.
  if (!read_pool_.push(ReadKind::point, read)) read(node_->catalog());
}

Problem Api::problem_of(const Error& error) const {
  Problem problem = to_problem(error);
  if (problem.retry_after) {
    problem.retry_after = pressure_.retry_after(node_->engine().commits_waiting());
  }
  return problem;
}

void Api::tell_observers(const Call& call, int status, std::size_t answer_bytes,
                         const Problem* problem) {
  metrics_.answered(call.route, status, node_->time().now() - call.began);
  if (options_.observers.empty()) return;
  const HttpRequest& request = call.request();
  const std::string client = tokens_->client_of(request);
  const Exchanged exchanged{
      .method = request.method,
      .route = call.route == nullptr ? std::string_view() : call.route->pattern,
      .path = call.path,
      .status = status,
      .code = problem == nullptr ? std::string_view() : to_text(problem->code),
      .detail = problem == nullptr ? std::string_view() : std::string_view(problem->detail),
      .took = node_->time().now() - call.began,
      .request_bytes = request.body.size(),
      .answer_bytes = answer_bytes,
      .request_id = call.request_id,
      .caller = call.caller.name,
      .peer = client};
  for (const auto& observer : options_.observers) observer->answered(exchanged);
}

}  // namespace longshore
