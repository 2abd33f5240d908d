#include "core/rules/refusal.h"

#include <utility>

namespace longshore {

Errc errc_of(Code code) {
  switch (code) {
    case Code::invalid_field:
    case Code::unknown_field:
    case Code::invalid_json:
    case Code::too_large:
    case Code::bad_request:
      return Errc::invalid;
    case Code::not_found:
      return Errc::not_found;
    case Code::overloaded:
      return Errc::overloaded;
    case Code::disk_full:
      return Errc::disk_full;
    case Code::store_unavailable:
    case Code::internal:
    case Code::request_timeout:
      return Errc::unavailable;
    default:
      return Errc::refused;
  }
}

Error to_error(const Refusal& refusal) {
  std::string message = std::string(to_text(refusal.code)) + ": " + refusal.detail;
  if (refusal.job) message += " (job " + to_text(*refusal.job) + ")";
  return {errc_of(refusal.code), std::move(message), refusal.code};
}

}  // namespace longshore
