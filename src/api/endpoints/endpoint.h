// A route of the user's own: whatever comes there becomes a job.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace longshore {

struct Endpoint {
  std::string method = "POST";
  std::string path;  // "/reports/{id}"; parameters as in a Route's pattern
  std::string job_type;
  std::string queue = "default";
  int priority = 5;
  // Kept although they may be secret: of Authorization and Cookie, those that are named.
  std::vector<std::string> keep_headers;
};

// What is wrong with it by itself, as the end of a sentence: a path that is the API's own too.
std::optional<std::string> endpoint_fault(const Endpoint& endpoint);
// What is wrong with them together.
std::optional<std::string> endpoints_fault(const std::vector<Endpoint>& endpoints);

}  // namespace longshore
