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
  bool rewriting = false;        // the log, or about to
  bool rewrite_fails = false;    // the last one did
  bool snapshot_fails = false;   // the last one did
  std::string fsync = {};        // appendfsync; empty if we may not know
  bool fsync_pauses = false;     // no-appendfsync-on-rewrite
  std::string eviction = {};     // maxmemory-policy
  std::int64_t memory_used = 0;  // bytes
  std::int64_t memory_max = 0;   // 0: no limit
};

// Errc::unavailable when the connection breaks or the server is too busy to say, Errc::refused when
// the user may not ask.
Result<Facts> inspect(Link& link);
// From the text that INFO answers.
Facts read_info(std::string_view info);

// A: what was acknowledged is on the disk. B: seconds may be missing after a power cut. C also
// while keys may be evicted. Says nothing of a server that still loads: its log is not open yet.
Durability durability_of(const Facts& facts);
// Why a store on this server would not be one, in words for its operator.
std::optional<std::string> unfit(const Facts& facts, bool cluster_wanted);
// Why a server is of a class below A; empty if it is not.
std::string complaint(const Facts& facts);
// What will go wrong one day unless somebody sees to it; empty if nothing.
std::string warning(const Facts& facts);

}  // namespace longshore::redis
