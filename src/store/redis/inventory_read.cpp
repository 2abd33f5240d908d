#include <algorithm>

#include "store/redis/fields.h"
#include "store/redis/inventory.h"
#include "store/redis/names.h"
#include "store/redis/parts.h"
#include "store/redis/survey.h"
#include "store/redis/timetable.h"

namespace longshore::redis {
namespace {

constexpr std::string_view scan_count = "1000";

void read_sums(const Reply& reply, std::map<std::string, std::int64_t>& sums) {
  for (std::size_t i = 0; i + 1 < reply.items.size(); i += 2) {
    sums[reply.items[i].text] = read_integer(reply.items[i + 1]);
  }
}

}  // namespace

Result<Nothing> Inventory::read(const Reader& reader) {
  if (const auto sets = read_sets(reader); !sets) return sets.error();
  return read_names(reader);
}

Result<Nothing> Inventory::read_sets(const Reader& reader) {
  const Keys& keys = reader.keys();
  std::vector<Words> calls;
  for (std::size_t i = 0; i < table_count; ++i) {
    calls.push_back({"ZRANGE", keys.one(table_names[i]), "0", "-1", "WITHSCORES"});
  }
  for (const char* name : {"claims", "jobs", "gone"}) {
    calls.push_back({"ZRANGE", keys.one(name), "0", "-1"});
  }
  calls.push_back({"LRANGE", keys.one("dead"), "0", "-1"});
  calls.push_back({"HGETALL", keys.one("counts")});
  calls.push_back({"HGETALL", keys.one("stale")});
  calls.push_back({"HGET", keys.meta(), "kept"});
  const auto replies = reader.read(calls);
  if (!replies) return replies.error();
  for (std::size_t i = 0; i < table_count; ++i) {
    for (const auto& [at, id] : read_times((*replies)[i])) times_[i].emplace(id, at);
  }
  const Reply* rest = replies->data() + table_count;
  for (const Reply& member : rest[0].items) claims_.insert(member.text);
  for (const Reply& member : rest[1].items) {
    if (const auto id = parse_uuid(member.text)) index_.insert(*id);
  }
  for (const Reply& member : rest[2].items) gone_.insert(member.text);
  for (const Reply& member : rest[3].items) dead_.insert(member.text);
  read_sums(rest[4], counts_);
  read_sums(rest[5], stale_);
  kept_ = read_integer(rest[6]);
  return Nothing{};
}

// Redis itself says which keys there are.
Result<Nothing> Inventory::read_names(const Reader& reader) {
  const std::string base = reader.keys().one("");
  std::vector<std::string> lists, keys, once;
  std::string cursor = "0";
  do {
    const auto page =
        reader.read({{"SCAN", cursor, "MATCH", base + "*", "COUNT", std::string(scan_count)}});
    if (!page) return page.error();
    cursor = (*page)[0].items[0].text;
    for (const Reply& key : (*page)[0].items[1].items) {
      const std::string_view name = std::string_view(key.text).substr(base.size());
      if (name.starts_with("job:")) {
        if (const auto id = parse_uuid(name.substr(4))) hashes_.insert(*id);
      }
      if (name.starts_with("ready:")) lists.emplace_back(name.substr(6));
      if (name.starts_with("key:")) keys.emplace_back(name.substr(4));
      if (name.starts_with("once:")) once.emplace_back(name.substr(5));
    }
  } while (cursor != "0");
  for (auto* names : {&lists, &keys, &once}) {
    std::ranges::sort(*names);
    const auto again = std::ranges::unique(*names);
    names->erase(again.begin(), again.end());
  }
  if (const auto read = read_lists(reader, lists); !read) return read.error();
  return read_keys(reader, keys, once, {hashes_.begin(), hashes_.end()});
}

// A list is called QUEUE/PRIORITY/TYPE.
Result<Nothing> Inventory::read_lists(const Reader& reader, const std::vector<std::string>& lists) {
  std::vector<Words> calls;
  for (const std::string& list : lists) {
    const std::size_t slash = list.find('/');
    calls.push_back({"LRANGE", reader.keys().one("ready:" + list), "0", "-1"});
    calls.push_back({"SISMEMBER", reader.keys().one("lists:" + list.substr(0, slash)),
                     list.substr(std::min(slash, list.size() - 1) + 1)});
  }
  const auto replies = reader.read(calls);
  if (!replies) return replies.error();
  for (std::size_t i = 0; i < lists.size(); ++i) {
    for (const Reply& element : (*replies)[2 * i].items) ready_[lists[i]].insert(element.text);
    if ((*replies)[2 * i + 1].integer == 1) indexed_.insert(lists[i]);
  }
  return Nothing{};
}

Result<Nothing> Inventory::read_keys(const Reader& reader, const std::vector<std::string>& keys,
                                     const std::vector<std::string>& once,
                                     const std::vector<JobId>& hashes) {
  std::vector<Words> calls;
  for (const std::string& key : keys) {
    calls.push_back({"ZRANGE", reader.keys().job_key(key), "0", "-1", "WITHSCORES"});
  }
  for (const std::string& key : once) calls.push_back({"GET", reader.keys().once(key)});
  for (const JobId& id : hashes) {
    calls.push_back({"HMGET", reader.keys().job(id), "keys", "size", "life"});
    calls.push_back(names_call(reader.keys().job(id)));
  }
  const auto replies = reader.read(calls);
  if (!replies) return replies.error();
  const Reply* reply = replies->data();
  for (const std::string& key : keys) {
    const std::vector<Reply>& items = (reply++)->items;
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
      if (const auto id = parse_uuid(items[i].text)) keys_[key][*id] = items[i + 1].text;
    }
  }
  for (const std::string& key : once) {
    const std::string& text = (reply++)->text;
    const auto view = parse_bound(text);
    once_[key] = {.job = view ? view->job : JobId{},
                  .outlives = parse_gone_after(text).has_value()};
  }
  for (const JobId& id : hashes) {
    const std::vector<Reply>& fields = (reply++)->items;
    std::string_view lines = fields[0].text;
    sizes_ += read_integer(fields[1]);
    const Reply& names = *reply++;
    if (is_named(fields[2].text)) names_.emplace(id, names);
    while (!lines.empty()) {
      const std::size_t end = std::min(lines.find('\n'), lines.size());
      further_[id].emplace(lines.substr(0, end));
      lines.remove_prefix(std::min(end + 1, lines.size()));
    }
  }
  return Nothing{};
}

}  // namespace longshore::redis
