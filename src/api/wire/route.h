// A route of the API. Dispatch, role checks, 405 answers with Allow, the OpenAPI document and the
// tests of every route with every role are derived from the table of routes.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/auth/caller.h"
#include "core/rules/limits.h"
#include "http/exchange.h"
#include "longshore/time.h"

namespace longshore {

class Api;
struct Endpoint;
struct Route;

// The order in which an overloaded server refuses requests: listing first, then enqueue, then
// lease; vital requests never.
enum class Load { listing, enqueue, lease, vital };

// One request being handled. Shared by the handler and everything it waits for.
struct Call {
  std::shared_ptr<HttpExchange> exchange;
  const Route* route = nullptr;  // null if none has this path and method
  Caller caller;
  std::string request_id;
  std::string_view path;                // without the version and the query
  std::vector<std::string> parameters;  // of the path, decoded, in the order of the pattern

  // The query's parameters, decoded, in the order sent.
  std::vector<std::pair<std::string, std::string>> query;

  Instant began;                       // by the node's own time
  std::atomic<bool> answered = false;  // set by Api::answer and Api::stream
  std::atomic<bool> gone = false;      // the client disconnected; only watched by Api::read
  std::shared_ptr<void> hold;          // its share of the limits, released with the call

  const HttpRequest& request() const { return exchange->request(); }
};
using CallRef = std::shared_ptr<Call>;

// A handler answers the call through the Api, at once or later, exactly once. It never blocks.
using Handle = void (*)(Api& api, CallRef call);

// One successful answer of a route.
struct RouteAnswer {
  int status = 200;
  std::string_view schema;      // in the document's components; empty: no JSON
  std::string_view media = {};  // if not JSON; empty: no body
};

// A parameter in a pattern is in braces and matches one segment; one that ends in "..." is last and
// matches the rest of the path.
struct Route {
  std::string_view method;
  std::string_view pattern;  // "/jobs/{jobId}/cancel"
  std::vector<Role> roles;   // who may; admin always may
  Load load = Load::vital;
  std::size_t body_limit = body_bytes_max;
  Handle handle = nullptr;
  std::string_view summary;             // one line for the documents
  std::string_view body = {};           // the schema of its body; empty: no body is read
  std::vector<RouteAnswer> answers;     // besides problems
  std::vector<std::string_view> query;  // parameters, as named in the document's components
  // Set if the route is a configured endpoint, which accepts bodies of any media type.
  const Endpoint* endpoint = nullptr;
};

}  // namespace longshore
