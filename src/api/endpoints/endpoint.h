// A configured endpoint: each request to it becomes a job.
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
  // Of Authorization and Cookie, which may be secret, those named here are kept.
  std::vector<std::string> keep_headers;
};

// What is wrong with it, as the end of a sentence, such as a path of the API itself.
std::optional<std::string> endpoint_fault(const Endpoint& endpoint);
// What is wrong with any of them, or between two.
std::optional<std::string> endpoints_fault(const std::vector<Endpoint>& endpoints);

}  // namespace longshore
