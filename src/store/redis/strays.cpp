// A sweep also walks, a stretch at a time, through what stands besides the jobs: whatever is there
// though its job demands otherwise, or has no job, goes. A HASH that no index names is named again.
#include <algorithm>
#include <string>
#include <utility>

#include "store/redis/fields.h"
#include "store/redis/transaction.h"

namespace longshore::redis {
namespace {

constexpr std::int64_t members_at_once = 50;
constexpr std::string_view names_at_once = "200";
constexpr std::size_t holders_at_once = 200;
constexpr std::size_t claim_length = 33;  // of a claim and the colon behind it

const std::vector<std::string>& structures() {
  static const std::vector<std::string> all = [] {
    std::vector<std::string> names(table_names.begin(), table_names.end());
    names.insert(names.end(), {"claims", "jobs", "dead"});
    return names;
  }();
  return all;
}

std::optional<JobId> id_in(const std::string& structure, std::string_view member) {
  if (structure != "claims") return parse_uuid(member);
  return member.size() > claim_length ? parse_uuid(member.substr(claim_length)) : std::nullopt;
}

bool belongs(const std::string& structure, const std::string& member, const Entry* entry) {
  if (entry == nullptr) return false;
  // What this sweep has moved is written anew as it is.
  if (entry->dirty || structure == "jobs") return true;
  const Whereabouts& there = entry->stored;
  if (structure == "dead") return there.dead;
  if (structure == "claims") {
    return there.claim && claim_member(*there.claim, entry->job().id) == member;
  }
  const auto table = std::ranges::find(table_names, structure) - table_names.begin();
  return there.times[static_cast<std::size_t>(table)].has_value();
}

Words presence_call(const Keys& keys, const std::string& structure, const std::string& member) {
  return {structure == "dead" ? "LPOS" : "ZSCORE", keys.one(structure), member};
}

Line removal(const Keys& keys, const std::string& structure, const std::string& member) {
  Line line(structure == "dead" ? "LREM" : "ZREM");
  line.text(keys.one(structure));
  if (structure == "dead") line.text("0");
  line.text(member);
  return line;
}

}  // namespace

std::vector<RedisTransaction::Member> RedisTransaction::next_members() {
  std::vector<Words> calls;
  std::vector<std::int64_t> from;
  for (const std::string& structure : structures()) {
    from.push_back(parse_integer(around_.copies.looked(ns_, structure)).value_or(0));
    calls.push_back({structure == "dead" ? "LRANGE" : "ZRANGE", keys_.one(structure),
                     std::to_string(from.back()),
                     std::to_string(from.back() + members_at_once - 1)});
  }
  const auto replies = read(calls);
  std::vector<Member> members;
  for (std::size_t i = 0; i < replies.size(); ++i) {
    const std::vector<Reply>& items = replies[i].items;
    const bool at_end = std::ssize(items) < members_at_once;
    around_.copies.look(ns_, structures()[i],
                        at_end ? "" : std::to_string(from[i] + std::ssize(items)));
    for (const Reply& item : items) {
      members.push_back({structures()[i], item.text, id_in(structures()[i], item.text)});
    }
  }
  return members;
}

void RedisTransaction::look_at_members() {
  std::vector<Member> members = next_members();
  std::vector<JobId> ids;
  for (const Member& member : members) {
    if (member.id) ids.push_back(*member.id);
  }
  load(ids);
  std::erase_if(members, [&](const Member& member) {
    return belongs(member.structure, member.text, member.id ? known(*member.id) : nullptr);
  });
  // Looked at again, behind the jobs: what has gone meanwhile was where it belonged.
  std::vector<Words> calls;
  for (const Member& member : members) {
    calls.push_back(presence_call(keys_, member.structure, member.text));
  }
  const auto there = read(calls);
  for (std::size_t i = 0; i < there.size(); ++i) {
    const Member& member = members[i];
    if (there[i].is_nil() || !take_out(member.structure, member.text)) continue;
    extra_.write(removal(keys_, member.structure, member.text));
    Entry* entry = member.id ? known(*member.id) : nullptr;
    if (entry != nullptr) entry->used = true;
    repairs_.push_back(member.text + " was listed in " + member.structure +
                       " without reason; it no longer is");
  }
}

// Redis itself says which keys there are.
void RedisTransaction::look_at_names() {
  const std::string base = keys_.one("");
  const std::string cursor = around_.copies.looked(ns_, "names");
  const auto page = read({{"SCAN", cursor.empty() ? "0" : cursor, "MATCH", base + "*", "COUNT",
                           std::string(names_at_once)}});
  if (page.empty()) return;
  const std::string& next = page[0].items[0].text;
  around_.copies.look(ns_, "names", next == "0" ? "" : next);
  std::vector<JobId> jobs;
  std::vector<std::string> keys;
  for (const Reply& key : page[0].items[1].items) {
    const std::string_view name = std::string_view(key.text).substr(base.size());
    if (name.starts_with("job:")) {
      if (const auto id = parse_uuid(name.substr(4))) jobs.push_back(*id);
    }
    if (name.starts_with("key:")) keys.emplace_back(name.substr(4));
  }
  index_again(jobs);
  look_at_holders(keys);
}

void RedisTransaction::index_again(std::vector<JobId> ids) {
  const auto listed = [&] {
    std::vector<Words> calls;
    for (const JobId& id : ids) calls.push_back({"ZSCORE", keys_.one("jobs"), to_text(id)});
    return read(calls);
  };
  const auto first = listed();
  std::vector<JobId> unlisted;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i].is_nil()) unlisted.push_back(ids[i]);
  }
  ids = std::move(unlisted);
  load(ids);
  const auto again = listed();
  for (std::size_t i = 0; i < again.size(); ++i) {
    Entry* entry = known(ids[i]);
    if (entry == nullptr || entry->dirty || !again[i].is_nil()) continue;
    extra_.write(Line("ZADD").text(keys_.one("jobs")).text("0").text(to_text(ids[i])));
    repaired(*entry, "was not listed among the jobs; it is again");
  }
}

// Jobs that stand under a key not their own.
void RedisTransaction::look_at_holders(const std::vector<std::string>& names) {
  std::vector<Words> calls;
  for (const std::string& name : names) {
    calls.push_back({"ZREVRANGE", keys_.job_key(name), "0", std::to_string(holders_at_once - 1)});
  }
  const auto holders = read(calls);
  std::vector<JobId> ids;
  std::vector<std::pair<std::string, JobId>> strays;
  for (std::size_t i = 0; i < holders.size(); ++i) {
    for (const Reply& holder : holders[i].items) {
      const auto id = parse_uuid(holder.text);
      if (!id) continue;
      ids.push_back(*id);
      strays.emplace_back(names[i], *id);
    }
  }
  load(ids);
  std::erase_if(strays, [&](const auto& stray) {
    const Entry* entry = known(stray.second);
    if (entry == nullptr) return false;
    const Job& job = entry->job();
    return entry->dirty || job_key_name(job.type, job.job_key) == stray.first;
  });
  calls.clear();
  for (const auto& [name, id] : strays) {
    calls.push_back({"ZSCORE", keys_.job_key(name), to_text(id)});
  }
  const auto there = read(calls);
  for (std::size_t i = 0; i < there.size(); ++i) {
    if (there[i].is_nil()) continue;
    const auto& [name, id] = strays[i];
    extra_.write(Line("ZREM").text(keys_.job_key(name)).text(to_text(id)));
    if (Entry* entry = known(id)) entry->used = true;
    repairs_.push_back(to_text(id) + " stood under the key " + name +
                       ", not its own; it no longer does");
  }
}

}  // namespace longshore::redis
