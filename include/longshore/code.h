// The error codes of the contract, for refused commands and requests. They never change; HTTP maps
// each to one status, and the documentation says what to do.
#pragma once

#include <string_view>

namespace longshore {

enum class Code {
  invalid_json,
  bad_request,
  unauthenticated,
  forbidden,
  not_found,
  method_not_allowed,
  request_timeout,
  key_in_use,
  id_in_use,
  lease_lost,
  already_settled,
  wrong_state,
  terminal,
  not_in_profile,
  old_revision,
  job_failed,
  job_canceled,
  too_large,
  uri_too_long,
  unsupported_media_type,
  invalid_field,
  unknown_field,
  idempotency_mismatch,
  overloaded,
  headers_too_large,
  internal,
  store_unavailable,
  http_version,
  disk_full,
};

// The JSON name of the code, such as "LEASE_LOST".
std::string_view to_text(Code code);

}  // namespace longshore
