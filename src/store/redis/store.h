// The store in memory, shared: many nodes on one Redis server or cluster, none of them the leader.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/time/clock.h"
#include "longshore/error.h"
#include "longshore/rules.h"
#include "longshore/store.h"

namespace longshore {

struct RedisOptions {
  std::string url;  // redis://..., see docs/redis.md
  // Told when Redis turns out to have lost what it acknowledged. May be called on any thread.
  std::function<void(const std::string&)> alarm = {};
  Clock* clock = nullptr;  // instead of the server's own time; outlives the store
  // False: HASHes of jobs show nothing by name and have all of their history, as Longshore 0.1
  // wrote them. For tests and for the benchmark that measures what that costs.
  bool names = true;
  // The least durability that commits are acknowledged with, if the URL does not ask for more. If
  // neither says: what Redis promises when it is opened. A weaker Redis can be opened all the same
  // unless the URL asks for more.
  std::optional<Durability> accepted = {};
};

// Errc::invalid for a URL that is none, Errc::refused for a server that is too old, takes no writes
// or promises too little, and for a store that has other rules of those that a profile fixes;
// Errc::unavailable for a server that cannot be reached.
Result<std::unique_ptr<Backend>> open_redis(const RedisOptions& options, const Rules& rules);

}  // namespace longshore
