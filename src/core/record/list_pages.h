// Lists that a store reads in parts.
#pragma once

#include <span>

#include "longshore/catalog.h"

namespace longshore {

// One page of what several parts hold, newest first. Each part is the first page of jobs that no
// other part holds, read with the same limit.
ListPage merged_page(std::span<ListPage> parts, int limit);

}  // namespace longshore
