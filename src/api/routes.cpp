#include "api/routes.h"

namespace longshore {

std::span<const Route> routes() {
  static const std::vector<Route> table = {};
  return table;
}

}  // namespace longshore
