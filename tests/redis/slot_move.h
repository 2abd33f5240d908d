// Migrates a slot of a cluster from one primary to another, key by key, like redis-cli does.
#pragma once

#include <functional>
#include <string>

#include "redis/server.h"

namespace longshore::redis_test {

// Aborts if a node refuses a step, for example for a key that exists on both sides.
class SlotMove {
 public:
  // Opens the slot of the tag on both sides. `servers` must outlive it.
  SlotMove(const OwnServers& servers, const std::string& tag, int to);

  // Some of the keys that have not migrated; none: all have.
  redis::Words left() const;
  void give(const redis::Words& keys) const;
  // How many keys of the slot the target has.
  std::int64_t arrived() const;
  // REQUIRES: all keys have migrated.
  void end() const;

 private:
  redis::Reply must(const redis::Words& words, int node) const;

  const OwnServers& servers_;
  const std::string slot_;
  const int from_;
  const int to_;
  const std::string target_;
};

// The whole migration, while other clients use the slot. `midway` is called when the keys have
// migrated and the slot has not. Returns the number of keys.
int move_slot(const OwnServers& servers, const std::string& tag, int to,
              const std::function<void()>& midway);

}  // namespace longshore::redis_test
