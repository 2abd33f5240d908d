// What a Redis server is and how it keeps what it is told, asked of the server itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "longshore/error.h"
#include "longshore/store.h"
#include "store/redis/link.h"

namespace longshore::redis {

struct Facts {
  std::string version;
  std::string run_id;  // another one after each start
  bool primary = false;
  bool cluster = false;
  bool loading = false;
  int replicas = 0;   // that follow this primary and are online
  bool logs = false;  // appendonly
  bool log_fails = false;
  std::string fsync = {};        // appendfsync; empty if we may not know
  bool fsync_pauses = false;     // no-appendfsync-on-rewrite
  std::string eviction = {};     // maxmemory-policy
  std::int64_t memory_used = 0;  // bytes
  std::int64_t memory_max = 0;   // 0: no limit
};

// Errc::unavailable when the connection breaks, Errc::refused when the user may not ask.
Result<Facts> inspect(Link& link);
// From the text that INFO answers.
Facts read_info(std::string_view info);

// A: what was acknowledged is on the disk. B: seconds may be missing after a power cut.
Durability durability_of(const Facts& facts);
// Why a store on this server would not be one, in words for its operator.
std::optional<std::string> unfit(const Facts& facts, bool cluster_wanted);
// What is wrong just now though the server may be used: a class below A, a log that fails.
std::string complaint(const Facts& facts);

}  // namespace longshore::redis
