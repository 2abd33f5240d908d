// Checks of the store, and the audit trail, in JSON.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/server/check_runner.h"
#include "longshore/catalog.h"

namespace longshore {

// check_json.cpp. With `in_full`, findings name jobs of any namespace.
// REQUIRES: the check finished.
std::string check_report_json(const CheckReport& report, bool in_full);
std::string check_progress_json(const CheckUnderWay& under_way);
// Both; null where there is none.
std::string checks_json(const CheckReport* last, const std::optional<CheckUnderWay>& under_way,
                        bool in_full);

// audit_trail.cpp. `more`: there are older entries.
std::string audit_trail_json(const std::vector<AuditEntry>& entries, bool more);
// The number of the last entry of the page before.
std::optional<std::int64_t> parse_audit_cursor(std::string_view text);

}  // namespace longshore
