// The contract's error codes: what a command or a request is refused with. Stable for ever;
// HTTP maps each to one status, docs list each with what to do.
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

// The code as the wire spells it, such as "LEASE_LOST".
std::string_view to_text(Code code);

}  // namespace longshore
