// The routes of the API, in one table: from it come the dispatch, the check of roles, the answer
// 405 with its Allow, the documents and the tests of every route with every role.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "http/exchange.h"

namespace longshore {

class Api;

// Who may use a route. `anyone` needs no token.
enum class Role { anyone, producer, worker, viewer, operator_, admin };

// What a request costs and is worth when there is more work than can be done: listing is refused
// first, then enqueue, then lease; the rest never is.
enum class Load { listing, enqueue, lease, vital };

// Who asks, once the token has been judged.
struct Caller {
  Role role = Role::anyone;
  std::string ns = "default";
  std::string name = "local";  // the token's name
};

// One request on its way through a handler.
struct Call {
  std::shared_ptr<HttpExchange> exchange;
  Caller caller;
  std::string request_id;
  std::string_view path;                // of the target, without the version and the query
  std::vector<std::string> parameters;  // of the path, unescaped, in the order of the pattern

  // The query's parameters, unescaped, in the order sent.
  std::vector<std::pair<std::string, std::string>> query;
};

// A handler answers the call's exchange, at once or later, exactly once. It never blocks.
using Handle = void (*)(Api& api, Call call);

struct Route {
  std::string_view method;
  std::string_view pattern;  // "/jobs/{jobId}/cancel"
  std::vector<Role> roles;   // who may; admin always may
  Load load = Load::vital;
  std::size_t body_limit = 0;
  Handle handle = nullptr;
  std::string_view summary;  // one line for the documents
};

}  // namespace longshore
