// Nodes, workers and minutes as text.
#pragma once

#include <string>
#include <string_view>

#include "longshore/catalog.h"

namespace longshore::redis {

std::string node_text(const NodeView& view);
// Of an empty text: a node that was never seen.
NodeView parse_node(const NodeId& node, std::string_view text);

std::string worker_text(const WorkerView& view);
WorkerView parse_worker(const std::string& ns, const std::string& worker, std::string_view text);

// Who counted what, within a minute.
std::string minute_field(const MinuteRow& row);
std::string minute_text(const MinuteRow& row);
MinuteRow parse_minute(Instant minute, const std::string& ns, std::string_view field,
                       std::string_view text);

}  // namespace longshore::redis
