#include "cli/client/bulk.h"

namespace longshore {
namespace {

constexpr BulkAction cancel = {.path = "/jobs/cancel", .verb = "cancel", .past = "canceled"};

HttpCall call_for(const Invocation& invocation, const std::string& id) {
  return {.method = "POST",
          .path = "/jobs/" + id + "/cancel",
          .body = invocation.has("--force") ? R"({"force":true})" : "{}"};
}

}  // namespace

ExitCode run_cancel(const Invocation& invocation) {
  if (invocation.has("--force") && invocation.arguments.empty()) {
    return usage_error("--force needs job IDs; it does not work with filters");
  }
  return act_on_chosen(invocation, cancel, call_for);
}

}  // namespace longshore
