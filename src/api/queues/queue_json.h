// Queues in JSON.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/queues/rates.h"
#include "api/wire/json_out.h"
#include "longshore/catalog.h"

namespace longshore {

// One page; `next` is the first queue of the next page, nothing at the end.
std::string queues_json(const std::vector<QueueView>& queues,
                        const std::map<std::string, Rates>& rates, Instant now,
                        const std::optional<std::string>& next);

// The cursor of a page that begins with this name, or the first name after it.
std::string queue_cursor(std::string_view from);
std::optional<std::string> parse_queue_cursor(std::string_view text);

}  // namespace longshore
