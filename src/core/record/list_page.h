// Pages of a job list: the cursor between two pages, and merging lists that were read in parts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "longshore/catalog.h"

namespace longshore {

// The cursor for the page after `last`. Opaque to callers, who send it back unchanged.
std::string cursor_text(const JobId& last);
// None for text that cursor_text does not write.
std::optional<JobId> parse_cursor(std::string_view text);

// One page of the merged parts, newest first. The parts have no job in common, and each is the
// first page of its jobs, read with the same limit.
ListPage merged_page(std::span<ListPage> parts, int limit);

}  // namespace longshore
