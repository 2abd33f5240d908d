#include "store/redis/inspection.h"

#include <charconv>
#include <utility>
#include <vector>

namespace longshore::redis {
namespace {

constexpr int least_version = 7;

std::string_view field(std::string_view info, std::string_view name) {
  std::size_t at = 0;
  while ((at = info.find(name, at)) != info.npos) {
    const std::size_t colon = at + name.size();
    const bool begins = at == 0 || info[at - 1] == '\n';
    if (begins && colon < info.size() && info[colon] == ':') {
      return info.substr(colon + 1, info.find('\r', colon) - colon - 1);
    }
    at = colon;
  }
  return {};
}

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// slave0:ip=127.0.0.1,port=6380,state=online,offset=1234,lag=0
int online_replicas(std::string_view info) {
  int count = 0;
  const std::int64_t listed = number(field(info, "connected_slaves"));
  for (std::int64_t i = 0; i < listed; ++i) {
    const std::string_view replica = field(info, "slave" + std::to_string(i));
    if (replica.find("state=online") != replica.npos) ++count;
  }
  return count;
}

std::string evicts(const Facts& facts) {
  return "it throws keys away when its memory is full (maxmemory-policy " + facts.eviction +
         "); set noeviction";
}

void read_config(const Reply& reply, Facts& facts) {
  for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2) {
    const std::string& name = reply.items[i].text;
    const std::string& value = reply.items[i + 1].text;
    if (name == "appendfsync") facts.fsync = value;
    if (name == "no-appendfsync-on-rewrite") facts.fsync_pauses = value == "yes";
  }
}

}  // namespace

Facts read_info(std::string_view info) {
  return {.version = std::string(field(info, "redis_version")),
          .run_id = std::string(field(info, "run_id")),
          .primary = field(info, "role") == "master",
          .cluster = field(info, "cluster_enabled") == "1",
          .loading = field(info, "loading") == "1",
          .replicas = online_replicas(info),
          .logs = field(info, "aof_enabled") == "1",
          .log_fails = field(info, "aof_last_write_status") == "err",
          .rewriting = field(info, "aof_rewrite_in_progress") == "1" ||
                       field(info, "aof_rewrite_scheduled") == "1",
          .rewrite_fails = field(info, "aof_last_bgrewrite_status") == "err",
          .snapshot_fails = field(info, "rdb_last_bgsave_status") == "err",
          .eviction = std::string(field(info, "maxmemory_policy")),
          .memory_used = number(field(info, "used_memory")),
          .memory_max = number(field(info, "maxmemory"))};
}

Result<Facts> inspect(Link& link) {
  std::string wire;
  const std::vector<std::string> info = {"INFO",   "server",      "replication",
                                         "memory", "persistence", "cluster"};
  const std::vector<std::string> config = {"CONFIG", "GET", "appendfsync",
                                           "no-appendfsync-on-rewrite"};
  append_command(wire, info);
  append_command(wire, config);
  const auto replies = link.converse(wire, 2);
  if (!replies) return replies.error();
  const Reply& told = replies->front();
  if (told.is_error()) {
    return Error{.code = told.code() == "NOPERM" ? Errc::refused : Errc::unavailable,
                 .message = to_text(link.address()) + ": INFO: " + told.text};
  }
  const Reply& settings = (*replies)[1];
  if (settings.is_error() && settings.code() != "NOPERM") {
    return Error{.code = Errc::unavailable,
                 .message = to_text(link.address()) + ": CONFIG GET: " + settings.text};
  }
  Facts facts = read_info(told.text);
  read_config(settings, facts);
  return facts;
}

Durability durability_of(const Facts& facts) {
  if (!facts.logs || facts.log_fails || facts.eviction != "noeviction") return Durability::c;
  if (facts.fsync == "always") return facts.fsync_pauses ? Durability::b : Durability::a;
  return facts.fsync == "everysec" ? Durability::b : Durability::c;
}

std::optional<std::string> unfit(const Facts& facts, bool cluster_wanted) {
  if (number(facts.version) < least_version) {
    return "it is Redis " + facts.version + "; Longshore needs 7.0 or newer";
  }
  if (facts.cluster != cluster_wanted) {
    return facts.cluster ? "it is a node of a cluster; say redis+cluster://"
                         : "it is no node of a cluster; say redis://";
  }
  if (!facts.primary) return "it is a replica, which takes no writes; name its primary";
  if (facts.eviction != "noeviction") return evicts(facts);
  return std::nullopt;
}

std::string complaint(const Facts& facts) {
  if (facts.eviction != "noeviction") return evicts(facts);
  if (!facts.logs) return "appendonly is no: all is gone when Redis ends; set appendonly yes";
  if (facts.log_fails) return "Redis cannot write its log; look at its disk";
  if (facts.fsync.empty()) return "this user may not read appendfsync; allow it CONFIG GET";
  if (facts.fsync != "always") {
    return "appendfsync is " + facts.fsync + ": the last seconds may be lost; set always";
  }
  if (facts.fsync_pauses) {
    return "no-appendfsync-on-rewrite is yes: while the log is rewritten nothing is forced to the "
           "disk; set no";
  }
  return {};
}

std::string warning(const Facts& facts) {
  if (facts.rewrite_fails) {
    return "the last rewrite of the log failed, so it grows until the disk is full; look at "
           "Redis's "
           "log";
  }
  if (facts.snapshot_fails) return "the last snapshot failed; look at Redis's disk and log";
  return {};
}

}  // namespace longshore::redis
