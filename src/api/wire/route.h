// The routes of the API, in one table: from it come the dispatch, the check of roles, the answer
// 405 with its Allow, the documents and the tests of every route with every role.
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

// What a request costs and is worth when there is more work than can be done: listing is refused
// first, then enqueue, then lease; the rest never is.
enum class Load { listing, enqueue, lease, vital };

// One request on its way through a handler. Shared by the handler and whatever it waits for.
struct Call {
  std::shared_ptr<HttpExchange> exchange;
  const Route* route = nullptr;  // null if none has this path and method
  Caller caller;
  std::string request_id;
  std::string_view path;                // of the target, without the version and the query
  std::vector<std::string> parameters;  // of the path, unescaped, in the order of the pattern

  // The query's parameters, unescaped, in the order sent.
  std::vector<std::pair<std::string, std::string>> query;

  Instant began;                       // by the node's own time
  std::atomic<bool> answered = false;  // set by Api::answer and Api::stream
  std::atomic<bool> gone = false;      // its client, as far as anybody looked; see Api::read
  std::shared_ptr<void> hold;          // its part of what is shared, until nobody needs the call

  const HttpRequest& request() const { return exchange->request(); }
};
using CallRef = std::shared_ptr<Call>;

// A handler answers the call through the Api, at once or later, exactly once. It never blocks.
using Handle = void (*)(Api& api, CallRef call);

// One answer that a route gives when all is well.
struct RouteAnswer {
  int status = 200;
  std::string_view schema;      // named in the document's components; empty: no JSON
  std::string_view media = {};  // of what is not JSON; empty: there is no body
};

// Parameters in a pattern stand in braces and take one segment; one that ends in "..." is last and
// takes the rest of the path.
struct Route {
  std::string_view method;
  std::string_view pattern;  // "/jobs/{jobId}/cancel"
  std::vector<Role> roles;   // who may; admin always may
  Load load = Load::vital;
  std::size_t body_limit = body_bytes_max;
  Handle handle = nullptr;
  std::string_view summary;             // one line for the documents
  std::string_view body = {};           // the schema of its body; empty: none is read
  std::vector<RouteAnswer> answers;     // besides the problems every route may answer
  std::vector<std::string_view> query;  // parameters, as named in the document's components
  // Set: the route is the user's, and takes bodies of any kind.
  const Endpoint* endpoint = nullptr;
};

}  // namespace longshore
