// A slot of a cluster goes from one primary to another, key by key as an operator's tool moves it.
#pragma once

#include <functional>
#include <string>

#include "redis/server.h"

namespace longshore::redis_test {

// Aborts when a node refuses a step, such as a key that stands on both sides.
class SlotMove {
 public:
  // Opens the slot of the tag on both sides. `servers` must outlive it.
  SlotMove(const OwnServers& servers, const std::string& tag, int to);

  // Some of the keys that have not gone; none: all have.
  redis::Words left() const;
  void give(const redis::Words& keys) const;
  // How many keys of the slot stand where it goes.
  std::int64_t arrived() const;
  // REQUIRES: all keys have gone.
  void end() const;

 private:
  redis::Reply must(const redis::Words& words, int node) const;

  const OwnServers& servers_;
  const std::string slot_;
  const int from_;
  const int to_;
  const std::string target_;
};

// The whole of it while others use the slot. `midway` is called when the keys have gone and the
// slot has not. How many keys went.
int move_slot(const OwnServers& servers, const std::string& tag, int to,
              const std::function<void()>& midway);

}  // namespace longshore::redis_test
