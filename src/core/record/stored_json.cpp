#include "core/record/stored_json.h"

#include <string>
#include <utility>

#include "core/json/json_scan.h"

namespace longshore {
namespace {

Error invalid(std::string message, Code code) { return {Errc::invalid, std::move(message), code}; }

}  // namespace

std::optional<Error> stored_json_fault(std::string_view name, std::string_view json,
                                       std::size_t bytes_max) {
  const std::string subject(name);
  if (json.size() > bytes_max) {
    return invalid(subject + " is " + std::to_string(json.size()) + " bytes of JSON; " +
                       std::to_string(bytes_max) + " are allowed",
                   Code::too_large);
  }
  const auto scanned = scan_json(json);
  if (scanned) return std::nullopt;
  const JsonFault& fault = scanned.fault();
  const std::string what = fault.what + " (at byte " + std::to_string(fault.offset) + ")";
  if (fault.kind == JsonFault::Kind::too_deep) {
    return invalid(subject + " is nested too deeply: " + what, Code::invalid_field);
  }
  return invalid(subject + " is not JSON: " + what, Code::invalid_json);
}

}  // namespace longshore
