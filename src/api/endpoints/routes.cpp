#include "api/endpoints/routes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "api/api.h"
#include "api/jobs/job_calls.h"
#include "api/routes.h"
#include "api/wire/json_out.h"
#include "api/wire/media_type.h"
#include "api/wire/route_rows.h"
#include "api/wire/router.h"
#include "core/json/json_value.h"
#include "core/record/stored_json.h"
#include "core/rules/limits.h"
#include "core/text/names.h"
#include "core/text/utf8.h"

namespace longshore {
namespace {

constexpr std::string_view request_id = "X-Async-Request-Id";

std::string lowered(std::string_view text) {
  std::string small(text);
  std::ranges::transform(small, small.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return small;
}

// ---- Headers ----------------------------------------------------------------------------------

// Hop-by-hop headers and headers of the message itself: not part of the job.
bool is_connection_header(std::string_view name) {
  return name == "connection" || name == "keep-alive" || name == "te" || name == "trailer" ||
         name == "transfer-encoding" || name == "upgrade" || name == "host" ||
         name == "content-length" || name == "expect" || name.starts_with("proxy-");
}

bool is_secret(std::string_view name) { return name == "authorization" || name == "cookie"; }

// The header Connection names more of them.
std::vector<std::string> named_by_connection(const HttpRequest& request) {
  std::vector<std::string> names;
  const std::string all = lowered(request.header("Connection"));
  std::string_view rest = all;
  while (!rest.empty()) {
    std::string_view name = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
    name.remove_prefix(std::min(name.find_first_not_of(" \t"), name.size()));
    names.emplace_back(name.substr(0, name.find_last_not_of(" \t") + 1));
  }
  return names;
}

using Grouped = std::vector<std::pair<std::string, std::vector<std::string>>>;

void add(Grouped& grouped, std::string name, std::string value) {
  const auto found = std::ranges::find(grouped, name, &Grouped::value_type::first);
  if (found != grouped.end()) return found->second.push_back(std::move(value));
  grouped.push_back({std::move(name), {std::move(value)}});
}

Grouped kept_headers(const HttpRequest& request, const Endpoint& endpoint) {
  const std::vector<std::string> dropped = named_by_connection(request);
  const auto listed = [&](const std::string& name) {
    return std::ranges::any_of(endpoint.keep_headers,
                               [&](const std::string& kept) { return lowered(kept) == name; });
  };
  Grouped kept;
  for (const HttpHeader& header : request.headers) {
    std::string name = lowered(header.name);
    if (is_connection_header(name) || std::ranges::find(dropped, name) != dropped.end()) continue;
    if (is_secret(name) && !listed(name)) continue;
    add(kept, std::move(name), header.value);
  }
  return kept;
}

// ---- The job ----------------------------------------------------------------------------------

void write_texts(JsonOut& out, const std::vector<std::string>& texts) {
  out.open('[');
  for (const std::string& text : texts) out.value(text);
  out.close(']');
}

std::string request_json(const Call& call, const Endpoint& endpoint) {
  JsonOut out;
  out.open('{');
  out.member("method", call.request().method);
  out.member("path", call.path);
  out.key("headers");
  out.open('{');
  for (const auto& [name, values] : kept_headers(call.request(), endpoint)) {
    out.key(name);
    write_texts(out, values);
  }
  out.close('}');
  out.key("routeParams");
  out.open('{');
  const std::vector<std::string_view> names = parameter_names(endpoint.path);
  for (std::size_t i = 0; i < names.size(); ++i) out.member(names[i], call.parameters[i]);
  out.close('}');
  Grouped parameters;
  for (const auto& [name, value] : call.query) add(parameters, name, value);
  out.key("queryParams");
  out.open('[');
  for (const auto& [name, values] : parameters) {
    out.open('{');
    out.member("name", name);
    out.key("values");
    write_texts(out, values);
    out.close('}');
  }
  out.close(']');
  out.close('}');
  return out.take();
}

// JSON byte for byte; other text as a JSON string; an empty body as null.
std::variant<std::string, Problem> payload_of(const HttpRequest& request) {
  const std::string& body = request.body;
  if (body.empty()) return std::string("null");
  const std::string_view type = request.header("Content-Type");
  std::string json = body;
  auto fault = stored_json_fault("the body", json, payload_bytes_max);
  const bool said_json = !type.empty() && is_json_type(type);
  if (!said_json && (!type.empty() || fault)) {
    if (!utf8_length(body)) {
      return Problem{.code = Code::unsupported_media_type,
                     .detail = "The body must be JSON or text in UTF-8"};
    }
    json.clear();
    append_json_string(json, body);
    fault = stored_json_fault("the body", json, payload_bytes_max);
  }
  if (fault) return to_problem(*fault);
  return json;
}

std::optional<Problem> read_key(const HttpRequest& request, std::string& key) {
  for (const std::string_view name : {request_id, std::string_view("Idempotency-Key")}) {
    const std::string_view given = request.header(name);
    if (given.data() == nullptr) continue;
    if (auto fault = key_fault(given)) return invalid_field(std::string(name), *fault);
    if (!key.empty() && key != given) {
      return invalid_field(std::string(name), "differs from the header " + std::string(request_id) +
                                                  "; send one of them");
    }
    key = given;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Route> routes_with(const std::vector<Endpoint>& endpoints) {
  const std::span<const Route> own = routes();
  std::vector<Route> table(own.begin(), own.end());
  for (const Endpoint& endpoint : endpoints) {
    table.push_back({.method = endpoint.method,
                     .pattern = endpoint.path,
                     .roles = roles::producers,
                     .load = Load::enqueue,
                     .handle = post_to_endpoint,
                     .summary = "A configured endpoint",
                     .answers = {{202, "JobStatus"}},
                     .query = {},
                     .endpoint = &endpoint});
  }
  return table;
}

void post_to_endpoint(Api& api, CallRef call) {
  const Endpoint& endpoint = *call->route->endpoint;
  NewJob job{.type = endpoint.job_type, .queue = endpoint.queue, .priority = endpoint.priority};
  if (const auto problem = read_key(call->request(), job.idempotency_key)) {
    return api.answer(call, *problem);
  }
  auto payload = payload_of(call->request());
  if (const auto* problem = std::get_if<Problem>(&payload)) return api.answer(call, *problem);
  job.body.payload = std::get<std::string>(std::move(payload));
  job.body.request = request_json(*call, endpoint);
  if (job.body.request.size() > origin_request_bytes_max) {
    return api.answer(call,
                      Problem{.code = Code::too_large,
                              .detail = "Path, query and headers must be at most 64 KiB together"});
  }
  enqueue_job(api, call, std::move(job));
}

}  // namespace longshore
