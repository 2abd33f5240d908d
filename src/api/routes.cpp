#include "api/routes.h"

#include <array>
#include <vector>

#include "api/auth/routes.h"
#include "api/errors/routes.h"
#include "api/events/routes.h"
#include "api/jobs/routes.h"
#include "api/leases/routes.h"
#include "api/metrics/routes.h"
#include "api/openapi/openapi.h"
#include "api/queues/routes.h"
#include "api/resource.h"
#include "api/server/routes.h"
#include "api/views/view.h"

namespace longshore {
namespace {

// In the order of docs/security.md and the OpenAPI document.
std::array<Resource, 11> resources() {
  return {{
      {.routes = {}, .schemas = shared_schemas(), .parameters = shared_parameters()},
      job_resource(),
      {.routes = {}, .schemas = view_schemas(), .parameters = view_parameters()},
      lease_resource(),
      event_resource(),
      error_resource(),
      queue_resource(),
      server_resource(),
      metrics_resource(),
      token_resource(),
      document_resource(),
  }};
}

template <class T>
std::vector<T> joined(std::span<const T> Resource::*part) {
  std::vector<T> all;
  for (const Resource& resource : resources()) {
    all.insert(all.end(), (resource.*part).begin(), (resource.*part).end());
  }
  return all;
}

}  // namespace

std::span<const Route> routes() {
  static const std::vector<Route> all = joined(&Resource::routes);
  return all;
}

std::span<const Schema> schemas() {
  static const std::vector<Schema> all = joined(&Resource::schemas);
  return all;
}

std::span<const Schema> query_parameters() {
  static const std::vector<Schema> all = joined(&Resource::parameters);
  return all;
}

}  // namespace longshore
