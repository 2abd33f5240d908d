#include "api/wire/router.h"

#include <algorithm>

namespace longshore {
namespace {

bool serves(std::string_view route_method, std::string_view method) {
  return route_method == method || (route_method == "GET" && method == "HEAD");
}

std::string with_allowed(std::string allow, std::string_view method) {
  if (!allow.empty()) allow += ", ";
  allow += method;
  if (method == "GET") allow += ", HEAD";
  return allow;
}

std::size_t fixed_text(const Route& route) {
  return std::min(route.pattern.find('{'), route.pattern.size());
}

bool has_parameters(const Route& route) { return fixed_text(route) < route.pattern.size(); }

}  // namespace

Router::Router(std::span<const Route> routes) {
  for (const Route& route : routes) paths_.push_back(path_of(route));
  std::ranges::stable_sort(paths_, std::ranges::greater(),
                           [](const Path& path) { return fixed_text(*path.route); });
}

Router::Path Router::path_of(const Route& route) {
  Path path{.route = &route};
  std::string_view rest = route.pattern;
  while (rest.starts_with('/')) {
    rest.remove_prefix(1);
    const std::string_view segment = rest.substr(0, rest.find('/'));
    const bool is_parameter = segment.starts_with('{');
    path.steps.push_back({.text = is_parameter ? std::string_view() : segment,
                          .takes_rest = segment.ends_with("...}")});
    // A trailing slash is an empty segment, which no parameter matches.
    rest.remove_prefix(segment.size());
  }
  return path;
}

bool Router::matches(const Path& path, const std::vector<std::string>& segments) {
  const std::vector<Step>& steps = path.steps;
  const bool open_ended = !steps.empty() && steps.back().takes_rest;
  if (open_ended ? segments.size() < steps.size() : segments.size() != steps.size()) return false;
  const bool ends_in_slash = path.route->pattern.ends_with('/');
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].takes_rest) return true;
    const bool fixed = !steps[i].text.empty() || (ends_in_slash && i + 1 == steps.size());
    if (fixed ? segments[i] != steps[i].text : segments[i].empty()) return false;
  }
  return true;
}

std::vector<std::string> Router::parameters_of(const Path& path,
                                               const std::vector<std::string>& segments) {
  std::vector<std::string> parameters;
  for (std::size_t i = 0; i < path.steps.size(); ++i) {
    if (!path.steps[i].text.empty()) continue;
    std::string value = segments[i];
    if (path.steps[i].takes_rest) {
      for (std::size_t j = i + 1; j < segments.size(); ++j) value += '/' + segments[j];
    }
    parameters.push_back(std::move(value));
  }
  return parameters;
}

Router::Match Router::find(std::string_view method,
                           const std::vector<std::string>& segments) const {
  Match match;
  bool exact = false;  // `batch` is a fixed path, never a job id
  for (const Path& path : paths_) {
    if (!matches(path, segments)) continue;
    if (exact && has_parameters(*path.route)) break;
    if (serves(path.route->method, method)) {
      return {.route = path.route, .parameters = parameters_of(path, segments), .allow = {}};
    }
    match.allow = with_allowed(std::move(match.allow), path.route->method);
    exact = exact || !has_parameters(*path.route);
  }
  return match;
}

std::vector<std::string_view> parameter_names(std::string_view pattern) {
  std::vector<std::string_view> names;
  for (std::size_t open = pattern.find('{'); open != std::string_view::npos;
       open = pattern.find('{', open + 1)) {
    std::string_view name = pattern.substr(open + 1, pattern.find('}', open) - open - 1);
    if (name.ends_with("...")) name.remove_suffix(3);
    names.push_back(name);
  }
  return names;
}

}  // namespace longshore
