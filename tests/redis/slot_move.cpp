#include "redis/slot_move.h"

#include <cstdio>

#include "core/assert.h"
#include "store/redis/slots.h"

namespace longshore::redis_test {

using redis::Reply;
using redis::Words;

SlotMove::SlotMove(const OwnServers& servers, const std::string& tag, int to)
    : servers_(servers),
      slot_(std::to_string(redis::slot_of(tag))),
      from_(servers.primary_of(tag)),
      to_(to),
      target_(servers.ask({"CLUSTER", "MYID"}, to).text) {
  const std::string source = servers.ask({"CLUSTER", "MYID"}, from_).text;
  must({"CLUSTER", "SETSLOT", slot_, "IMPORTING", source}, to_);
  must({"CLUSTER", "SETSLOT", slot_, "MIGRATING", target_}, from_);
}

Reply SlotMove::must(const Words& words, int node) const {
  Reply reply = servers_.ask(words, node);
  if (reply.is_error()) std::fprintf(stderr, "%s\n", reply.text.c_str());
  LONGSHORE_ASSERT(!reply.is_error(), "the cluster allows the slot migration");
  return reply;
}

Words SlotMove::left() const {
  Words keys;
  for (const Reply& key : must({"CLUSTER", "GETKEYSINSLOT", slot_, "50"}, from_).items) {
    keys.push_back(key.text);
  }
  return keys;
}

void SlotMove::give(const Words& keys) const {
  Words migrate = {"MIGRATE", "127.0.0.1", std::to_string(servers_.port(to_)), "", "0",
                   "10000",   "KEYS"};
  migrate.insert(migrate.end(), keys.begin(), keys.end());
  must(migrate, from_);
}

std::int64_t SlotMove::arrived() const {
  return must({"CLUSTER", "COUNTKEYSINSLOT", slot_}, to_).integer;
}

void SlotMove::end() const {
  must({"CLUSTER", "SETSLOT", slot_, "NODE", target_}, to_);
  must({"CLUSTER", "SETSLOT", slot_, "NODE", target_}, from_);
}

int move_slot(const OwnServers& servers, const std::string& tag, int to,
              const std::function<void()>& midway) {
  const SlotMove move(servers, tag, to);
  int moved = 0;
  for (Words keys = move.left(); !keys.empty(); keys = move.left()) {
    move.give(keys);
    moved += static_cast<int>(keys.size());
  }
  midway();
  move.end();
  return moved;
}

}  // namespace longshore::redis_test
