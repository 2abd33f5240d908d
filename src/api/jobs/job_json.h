// Jobs in JSON: in a list, in full, and their history; each in the words of a view.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/views/view.h"
#include "api/wire/json_out.h"
#include "longshore/catalog.h"
#include "longshore/job.h"

namespace longshore {

std::string details_json(const JobRecord& record, const JobView& view = native_view());
std::string list_json(const ListPage& page, const JobView& view = native_view());
std::string history_json(const JobRecord& record, const JobView& view = native_view());
std::string logs_json(const std::vector<AttemptLog>& logs);

}  // namespace longshore
