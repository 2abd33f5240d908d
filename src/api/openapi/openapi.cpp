#include "api/openapi/openapi.h"

#include <algorithm>
#include <map>
#include <vector>

#include "api/api.h"
#include "api/routes.h"
#include "api/wire/calls.h"
#include "api/wire/json_out.h"
#include "api/wire/problem.h"
#include "api/wire/route_rows.h"
#include "api/wire/router.h"
#include "core/assert.h"

namespace longshore {
namespace {

constexpr std::string_view info = R"({
  "title": "Longshore",
  "version": "1",
  "summary": "A durable job platform",
  "description": "Every path is also served under /v1. Every answer carries X-Request-Id.",
  "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}})";

constexpr std::string_view problem_answer = R"({
  "description": "A problem, as RFC 9457",
  "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}})";

void write_reference(JsonOut& out, const std::string& target) {
  out.open('{');
  out.member("$ref", "#/components/" + target);
  out.close('}');
}

void write_content(JsonOut& out, std::string_view schema) {
  out.key("content");
  out.open('{');
  out.key("application/json");
  out.open('{');
  out.key("schema");
  write_reference(out, "schemas/" + std::string(schema));
  out.close('}');
  out.close('}');
}

void write_text_content(JsonOut& out, std::string_view media) {
  out.key("content");
  out.open('{');
  out.key(media);
  out.value(Verbatim{R"({"schema":{"type":"string"}})"});
  out.close('}');
}

void write_path_parameter(JsonOut& out, std::string_view name) {
  out.open('{');
  out.member("name", name);
  out.member("in", "path");
  out.member("required", true);
  out.key("schema");
  out.value(Verbatim{R"({"type":"string"})"});
  out.close('}');
}

void write_parameters(JsonOut& out, const Route& route) {
  out.key("parameters");
  out.open('[');
  for (const std::string_view name : parameter_names(route.pattern)) {
    write_path_parameter(out, name);
  }
  for (const std::string_view name : route.query) {
    write_reference(out, "parameters/" + std::string(name));
  }
  out.close(']');
}

void write_answers(JsonOut& out, const Route& route) {
  out.key("responses");
  out.open('{');
  for (const RouteAnswer& answer : route.answers) {
    out.key(std::to_string(answer.status));
    out.open('{');
    out.member("description", route.summary);
    if (!answer.schema.empty()) write_content(out, answer.schema);
    if (!answer.media.empty()) write_text_content(out, answer.media);
    out.close('}');
  }
  out.key("default");
  out.value(Verbatim{problem_answer});
  out.close('}');
}

void write_roles(JsonOut& out, const Route& route) {
  out.key("x-roles");
  out.open('[');
  for (const Role role : route.roles) out.value(to_text(role));
  out.close(']');
  const bool open = std::ranges::find(route.roles, Role::anyone) != route.roles.end();
  out.key("security");
  out.value(Verbatim{open ? "[]" : R"([{"token":[]}])"});
}

// "postJobsJobIdCancel"
std::string operation_id(const Route& route) {
  std::string id;
  for (const char c : route.method) id += static_cast<char>(c - 'A' + 'a');
  bool capital = true;
  for (const char c : route.pattern) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter) id += capital && c >= 'a' ? static_cast<char>(c - 'a' + 'A') : c;
    capital = !letter;
  }
  return id;
}

void write_operation(JsonOut& out, const Route& route) {
  std::string method(route.method);
  for (char& c : method) c = static_cast<char>(c - 'A' + 'a');
  out.key(method);
  out.open('{');
  out.member("operationId", operation_id(route));
  out.member("summary", route.summary);
  write_parameters(out, route);
  if (!route.body.empty()) {
    out.key("requestBody");
    out.open('{');
    write_content(out, route.body);
    out.close('}');
  }
  write_answers(out, route);
  write_roles(out, route);
  out.close('}');
}

// OpenAPI has no syntax for a parameter that takes the rest of the path.
std::string path_of(const Route& route) {
  std::string path(route.pattern);
  if (const std::size_t dots = path.find("...}"); dots != std::string::npos) path.erase(dots, 3);
  return path;
}

void write_paths(JsonOut& out, std::span<const Route> routes) {
  std::vector<std::string> paths;
  for (const Route& route : routes) {
    if (std::ranges::find(paths, path_of(route)) == paths.end()) paths.push_back(path_of(route));
  }
  out.key("paths");
  out.open('{');
  for (const std::string& path : paths) {
    out.key(path);
    out.open('{');
    for (const Route& route : routes) {
      if (path_of(route) == path) write_operation(out, route);
    }
    out.close('}');
  }
  out.close('}');
}

void write_codes(JsonOut& out) {
  out.key("Code");
  out.open('{');
  out.member("type", "string");
  out.key("enum");
  out.open('[');
  for (const ProblemKind& kind : problem_kinds()) out.value(to_text(kind.code));
  out.close(']');
  out.close('}');
}

void write_components(JsonOut& out) {
  out.key("components");
  out.open('{');
  out.key("schemas");
  out.open('{');
  write_codes(out);
  for (const Schema& schema : schemas()) out.member(schema.name, Verbatim{schema.json});
  out.close('}');
  out.key("parameters");
  out.open('{');
  for (const Schema& one : query_parameters()) out.member(one.name, Verbatim{one.json});
  out.close('}');
  out.key("securitySchemes");
  out.value(Verbatim{R"({"token":{"type":"http","scheme":"bearer"}})"});
  out.close('}');
}

bool is_schema(std::string_view name) {
  return name.empty() ||
         std::ranges::any_of(schemas(), [&](const Schema& schema) { return schema.name == name; });
}

}  // namespace

std::string openapi_document(std::span<const Route> routes) {
  for (const Route& route : routes) {
    LONGSHORE_ASSERT(is_schema(route.body), "the schema of every body is defined");
    for (const RouteAnswer& answer : route.answers) {
      LONGSHORE_ASSERT(is_schema(answer.schema), "the schema of every answer is defined");
    }
  }
  JsonOut out;
  out.open('{');
  out.member("openapi", "3.1.0");
  out.key("info");
  out.value(Verbatim{info});
  write_paths(out, routes);
  write_components(out);
  out.close('}');
  return out.take();
}

Resource document_resource() {
  static const std::vector<Route> rows = {
      with_roles(roles::anyone,
                 get_route("/openapi.json", get_openapi, "This document", "AnyJson")),
  };
  return {.routes = rows};
}

void get_openapi(Api& api, CallRef call) {
  if (answered_for_query(api, call)) return;
  static const std::string document = openapi_document(routes());
  api.answer(call, HttpResponse{.body = document});
}

}  // namespace longshore
