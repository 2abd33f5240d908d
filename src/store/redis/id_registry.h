// Which namespace has which job id. An id belongs to the job that brought it first, whatever its
// namespace, and a new one is to be compared with those of all namespaces at a cost that does not
// depend on their number. So there is a registry: HASHes of id and namespace, one for each hour by
// the time within the ids, each in a slot of its own. It lasts as long as anybody may bring such an
// id again. Jobs of the namespace `default` are not registered but looked for there, so that a
// store with one namespace needs no registry. See docs/decisions/020.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "longshore/id.h"
#include "longshore/time.h"
#include "store/redis/channel.h"

namespace longshore::redis {

inline const std::string unregistered_namespace = "default";

// A server that cannot be reached says nothing, and its part of the registry counts as empty.
class IdRegistry {
 public:
  // The channel must outlive it. `ns`: for whom it is asked.
  IdRegistry(Channel& channel, std::string ns) : channel_(channel), ns_(std::move(ns)) {}

  struct Query {
    std::vector<JobId> enter = {};     // to be registered, if they are free
    std::vector<JobId> find = {};      // to be looked up
    std::vector<JobId> look_for = {};  // to be looked for among the jobs of `default`
  };
  struct Holder {
    std::string ns;
    Instant since;
  };
  // The ids that another namespace has. One exchange with each server.
  std::map<JobId, Holder> ask(const Query& query, Instant now);

  // Of these, the ones whose holder has no such job and had time enough to make one: they are free
  // again, and no longer registered.
  std::vector<JobId> release_unused(const std::map<JobId, Holder>& held, Instant now);

 private:
  Channel& channel_;
  const std::string ns_;
};

}  // namespace longshore::redis
