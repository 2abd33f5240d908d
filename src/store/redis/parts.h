// The parts of a job that are read apart, and what an idempotency key leads to.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "longshore/catalog.h"
#include "longshore/job.h"
#include "store/redis/channel.h"

namespace longshore::redis {

// Asks for body and checkpoint of the job under this key.
Words body_call(const std::string& key);
JobBody read_body(const Reply& reply);
std::optional<std::string> read_checkpoint(const Reply& reply);

// The value of an idempotency key. `gone_after`: set once its job is gone.
std::string bound_text(const KeyView& view, std::optional<Instant> gone_after);
std::optional<KeyView> parse_bound(std::string_view text);
std::optional<Instant> parse_gone_after(std::string_view text);

}  // namespace longshore::redis
