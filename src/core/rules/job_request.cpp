#include "core/rules/job_request.h"

#include <utility>

#include "core/json/json_value.h"
#include "core/record/stored_json.h"
#include "core/rules/limits.h"
#include "core/text/names.h"
#include "core/text/utf8.h"

namespace longshore {
namespace {

// The messages below quote these.
static_assert(tags_max == 16 && metadata_pairs_max == 64 && metadata_bytes_max == 16 * 1024);

Error invalid(std::string message) {
  return {Errc::invalid, std::move(message), Code::invalid_field};
}

std::optional<Error> named_fault(const char* field, const std::optional<std::string>& fault) {
  if (!fault) return std::nullopt;
  return invalid(std::string(field) + ": " + *fault);
}

std::optional<Error> callback_fault(const Callback& callback) {
  if (auto fault = named_fault("callback.url", callback_url_fault(callback.url))) return fault;
  if (callback.secret_name.empty()) return std::nullopt;
  return named_fault("callback.secret_name", secret_name_fault(callback.secret_name));
}

}  // namespace

std::optional<Error> job_request_fault(const JobRequest& request) {
  const EnqueueOptions& options = request.options;
  if (auto fault = named_fault("job type", job_type_fault(request.type))) return fault;
  if (auto fault = named_fault("queue", queue_fault(options.queue))) return fault;
  if (!options.job_key.empty()) {
    if (auto fault = named_fault("job key", key_fault(options.job_key))) return fault;
  }
  if (!options.idempotency_key.empty()) {
    if (auto fault = named_fault("idempotency key", key_fault(options.idempotency_key))) {
      return fault;
    }
  }
  if (options.tags.size() > tags_max) return invalid("tags: at most 16 are allowed");
  for (const std::string& tag : options.tags) {
    if (auto fault = named_fault("tag", tag_fault(tag))) return fault;
  }
  if (options.expires_at && options.run_at && *options.expires_at < *options.run_at) {
    return invalid("expires_at must not be before run_at");
  }
  if (options.callback) {
    if (auto fault = callback_fault(*options.callback)) return fault;
  }
  return stored_json_fault("payload", request.payload, payload_bytes_max);
}

Result<std::string> metadata_json(const std::map<std::string, std::string>& metadata) {
  if (metadata.empty()) return std::string();
  if (metadata.size() > metadata_pairs_max) return invalid("metadata: at most 64 pairs");
  std::string json = "{";
  for (const auto& [name, value] : metadata) {
    if (!utf8_length(name) || !utf8_length(value)) return invalid("metadata must be UTF-8");
    if (json.size() > 1) json += ',';
    append_json_string(json, name);
    json += ':';
    append_json_string(json, value);
  }
  json += '}';
  if (json.size() > metadata_bytes_max) return invalid("metadata: at most 16 KiB of JSON");
  return json;
}

}  // namespace longshore
