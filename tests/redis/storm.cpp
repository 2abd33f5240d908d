#include "redis/storm.h"

#include <fmt/format.h>

#include <charconv>

#include "core/assert.h"
#include "redis/server.h"
#include "redis/slot_move.h"
#include "store/redis/store.h"

namespace longshore::redis_test {
namespace {

// The namespace of the storm's jobs is the hash tag of their keys.
const std::string tag = "main";

auto opener(const std::string& url) {
  return [url] { return open_redis({.url = url}, Rules()); };
}

// How often the nodes have answered with an error of this kind.
std::int64_t errors(const OwnServers& servers, const std::string& kind) {
  std::int64_t sum = 0;
  for (int node = 0; node < servers.size(); ++node) {
    const std::string info = servers.ask({"INFO", "errorstats"}, node).text;
    const std::string wanted = "errorstat_" + kind + ":count=";
    const std::size_t at = info.find(wanted);
    if (at == info.npos) continue;
    std::int64_t count = 0;
    std::from_chars(info.data() + at + wanted.size(), info.data() + info.size(), count);
    sum += count;
  }
  return sum;
}

bool has_replica(const OwnServers& servers, int node) {
  const std::string info = servers.ask({"INFO", "replication"}, node).text;
  return info.find("role:master") != info.npos && info.find("state=online") != info.npos;
}

void replace_primary(OwnServers& servers) {
  const int primary = servers.primary_of(tag);
  servers.kill(primary);
  const auto replaced = [&] { return servers.primary_of(tag) >= 0; };
  LONGSHORE_ASSERT(wait_until(replaced), "the cluster finds another primary");
  servers.start(primary);
  const auto followed = [&] { return has_replica(servers, servers.primary_of(tag)); };
  LONGSHORE_ASSERT(wait_until(followed), "the old primary follows the new one");
}

}  // namespace

Storm kill_server(int times, std::uint64_t seed) {
  OwnServers servers;
  return storm::run_storm({.open = opener(servers.url("timeout=2")),
                           .faults = times,
                           .seed = seed,
                           .inject_fault = [&] {
                             servers.kill();
                             servers.start();
                           }});
}

Storm fail_over(int times, std::uint64_t seed) {
  OwnServers servers({.cluster = true, .settings = {"cluster-node-timeout=2000"}});
  // Narrow: a wide failover leaves more unknown answers than the checker can order.
  return storm::run_storm({.open = opener(servers.url("timeout=2")),
                           .faults = times,
                           .seed = seed,
                           .wide = false,
                           .inject_fault = [&] { replace_primary(servers); }});
}

Moves move_slots(int times, std::uint64_t seed) {
  OwnServers servers({.cluster = true, .settings = {"cluster-node-timeout=30000"}});
  Moves moves;
  const auto move = [&] {
    const std::int64_t asked = errors(servers, "ASK");
    moves.keys += move_slot(servers, tag, (servers.primary_of(tag) + 1) % 3,
                            [&] { wait_until([&] { return errors(servers, "ASK") > asked; }); });
  };
  moves.storm = storm::run_storm({.open = opener(servers.url("patience=60")),
                                  .faults = times,
                                  .seed = seed,
                                  .inject_fault = move});
  moves.moved = errors(servers, "MOVED");
  moves.asked = errors(servers, "ASK");
  return moves;
}

std::string to_text(const Moves& moves, const std::string& faults) {
  return to_text(moves.storm, faults) + fmt::format("storm: {}: MOVED {}, ASK {}, keys moved {}\n",
                                                    faults, moves.moved, moves.asked, moves.keys);
}

bool unnoticed(const Moves& moves) {
  const Storm& storm = moves.storm;
  return storm.problem.empty() && storm.acknowledged > 0 && storm.unanswered == 0 &&
         storm.unended == 0 && storm.judgement.valid() && moves.moved > 0 && moves.asked > 0 &&
         moves.keys > 0;
}

}  // namespace longshore::redis_test
