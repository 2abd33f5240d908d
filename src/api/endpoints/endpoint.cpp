#include "api/endpoints/endpoint.h"

#include <algorithm>
#include <array>
#include <set>

#include "api/routes.h"
#include "api/wire/router.h"
#include "core/text/names.h"

namespace longshore {
namespace {

constexpr std::array<std::string_view, 5> methods = {"GET", "POST", "PUT", "PATCH", "DELETE"};
// Reserved for later versions of the API.
constexpr std::array<std::string_view, 4> reserved = {"v1", "schedules", "workflows", "limits"};

std::string_view first_segment(std::string_view path) {
  const std::string_view rest = path.substr(std::min<std::size_t>(path.size(), 1));
  return rest.substr(0, rest.find('/'));
}

bool is_own(std::string_view segment) {
  return std::ranges::find(reserved, segment) != reserved.end() ||
         std::ranges::any_of(
             routes(), [&](const Route& route) { return first_segment(route.pattern) == segment; });
}

bool is_fixed_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view("-._~").find(c) != std::string_view::npos;
}

bool is_parameter(std::string_view segment) {
  if (segment.size() < 3 || !segment.starts_with('{') || !segment.ends_with('}')) return false;
  std::string_view name = segment.substr(1, segment.size() - 2);
  if (name.ends_with("...")) name.remove_suffix(3);
  return !name.empty() && std::ranges::all_of(name, is_fixed_character);
}

bool is_segment(std::string_view segment, bool last) {
  if (is_parameter(segment)) return last || !segment.ends_with("...}");
  return !segment.empty() && segment != "." && segment != ".." &&
         std::ranges::all_of(segment, is_fixed_character);
}

std::optional<std::string> path_fault(std::string_view path) {
  constexpr std::string_view form = "path must look like /reports/{id}";
  if (path.size() < 2 || !path.starts_with('/')) return std::string(form);
  for (std::string_view rest = path; !rest.empty();) {
    rest.remove_prefix(1);
    const std::string_view segment = rest.substr(0, rest.find('/'));
    rest.remove_prefix(segment.size());
    if (!is_segment(segment, rest.empty())) return std::string(form);
  }
  std::set<std::string_view> names;
  for (const std::string_view name : parameter_names(path)) {
    if (!names.insert(name).second) return "path has two parameters " + std::string(name);
  }
  const std::string_view first = first_segment(path);
  if (is_parameter(first)) return "path must begin with a fixed segment, not a parameter";
  if (is_own(first))
    return "path " + std::string(path) + " conflicts with the API's own /" + std::string(first);
  return std::nullopt;
}

// Without parameter names, which do not distinguish two paths.
std::string shape_of(const Endpoint& endpoint) {
  std::string shape = endpoint.method + " ";
  bool inside = false;
  for (const char c : endpoint.path) {
    if (c == '{') shape += '{';
    inside = c != '}' && (inside || c == '{');
    if (!inside) shape += c;
  }
  return shape;
}

}  // namespace

std::optional<std::string> endpoint_fault(const Endpoint& endpoint) {
  if (std::ranges::find(methods, endpoint.method) == methods.end()) {
    return "method must be one of GET, POST, PUT, PATCH, DELETE";
  }
  if (auto fault = path_fault(endpoint.path)) return fault;
  if (auto fault = job_type_fault(endpoint.job_type)) return "jobType: " + *fault;
  if (auto fault = queue_fault(endpoint.queue)) return "queue: " + *fault;
  return std::nullopt;
}

std::optional<std::string> endpoints_fault(const std::vector<Endpoint>& endpoints) {
  std::set<std::string> shapes;
  for (const Endpoint& endpoint : endpoints) {
    if (auto fault = endpoint_fault(endpoint)) return fault;
    if (!shapes.insert(shape_of(endpoint)).second) {
      return "two endpoints are " + endpoint.method + " " + endpoint.path;
    }
  }
  return std::nullopt;
}

}  // namespace longshore
