// Finds the route of a request.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "api/wire/route.h"

namespace longshore {

// Constant after construction, so safe to share between threads.
class Router {
 public:
  // The routes must outlive the router. Of two that match, the one with more fixed text before its
  // first parameter wins. A pattern without parameters excludes all others, whatever the method.
  explicit Router(std::span<const Route> routes);

  struct Match {
    const Route* route = nullptr;
    std::vector<std::string> parameters;
    std::string allow;  // the methods of the path, if there is no route with this method
  };
  // The route of GET also serves HEAD. Neither a route nor an `allow`: unknown path.
  Match find(std::string_view method, const std::vector<std::string>& segments) const;

 private:
  struct Step {
    std::string_view text;  // fixed, or empty for a parameter
    bool takes_rest = false;
  };
  struct Path {
    const Route* route = nullptr;
    std::vector<Step> steps;
  };

  static Path path_of(const Route& route);
  static bool matches(const Path& path, const std::vector<std::string>& segments);
  static std::vector<std::string> parameters_of(const Path& path,
                                                const std::vector<std::string>& segments);

  std::vector<Path> paths_;  // the most specific first
};

// The names in the braces of a pattern, in order.
std::vector<std::string_view> parameter_names(std::string_view pattern);

}  // namespace longshore
