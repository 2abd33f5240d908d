// How audits of the store read in answers. With `in_full`, findings name jobs of any namespace.
#pragma once

#include <optional>
#include <string>

#include "api/server/check_runner.h"

namespace longshore {

// REQUIRES: the audit came to its end.
std::string check_report_json(const CheckReport& report, bool in_full);
std::string check_progress_json(const CheckUnderWay& under_way);
// Both; null where there is none.
std::string checks_json(const CheckReport* last, const std::optional<CheckUnderWay>& under_way,
                        bool in_full);

}  // namespace longshore
