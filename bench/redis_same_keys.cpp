#include "bench/redis_same_keys.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "bench/redis_caller.h"

namespace longshore::bench {
namespace {

// What all three begin with. KEYS[1] -> the namespace's meta.
constexpr const char* preamble = R"lua(
local base, call, format, sub = string.sub(KEYS[1], 1, -5), redis.call, string.format, string.sub
local clock = call('TIME')
local millis = clock[1] * 1000 + math.floor(clock[2] / 1000)
local now = format('%.0f', millis)
local seq = math.max(tonumber(call('HGET', KEYS[1], 'seq') or 0), clock[1] * 1000000 + clock[2])
local function finish(numbers)
  local mark = format('%.0f', seq + numbers + 1)
  call('HSET', KEYS[1], 'seq', mark, 'at', now)
  return mark
end
)lua";

// ARGV -> id and payload of each job, one after the other.
constexpr const char* enqueue_jobs = R"lua(
local given = 'work default 5 - - - - - - ' .. now .. ' 198 2'
local life = '2 2 2 ' .. now .. ' ' .. now .. ' - - - - 0 12 - - 0 0 0 0 0 - - - 0 - - - 0 -'
local ready, index, count, mark = {}, {}, 0, finish(#ARGV / 2)
for i = 1, #ARGV, 2 do
  count = count + 1
  local id, order = ARGV[i], format('%.0f', seq + count)
  call('HSET', base .. 'job:' .. id, 'v', mark, 'life', life, 'given', given,
       'place', order .. ' ' .. order, 'payload', ARGV[i + 1],
       'type', 'work', 'queue', 'default', 'state', 'QUEUED', 'attempt', '0', 'run_at', now)
  ready[count] = id .. ':' .. order
  index[2 * count - 1] = '0'
  index[2 * count] = id
end
call('RPUSH', base .. 'ready:default/5/work', unpack(ready))
call('SADD', base .. 'lists:default', '5/work')
call('ZADD', base .. 'jobs', unpack(index))
call('HINCRBY', base .. 'counts', 'q/default/2', count)
)lua";

// ARGV -> a claim for each job that is wanted.
// Returns id, claim and payload of each job, one after the other.
constexpr const char* claim_jobs = R"lua(
local ready = base .. 'ready:default/5/work'
local elements = call('LPOP', ready, #ARGV)
if not elements then return {} end
local lease = format('%.0f', millis + 30000)
local before = ' ' .. now .. ' ' .. now .. ' ' .. now .. ' - - 0 12 - - 1 0 0 0 1 '
local after = ' w - 30000 ' .. lease .. ' ' .. format('%.0f', millis + 1800000) .. ' - 0 -'
local told, leases, claims, count, mark = {}, {}, {}, 0, finish(0)
for i, element in ipairs(elements) do
  local id, claim = sub(element, 1, 36), ARGV[i]
  local key = base .. 'job:' .. id
  local job = call('HMGET', key, 'life', 'payload')
  if sub(job[1], 1, 1) == '2' then
    local run_at = string.match(job[1], '^%d+ %d+ %d+ (%d+)')
    call('HSET', key, 'v', mark, 'life', '3 3 3 ' .. run_at .. before .. claim .. after,
         'state', 'RUNNING', 'attempt', '1')
    told[3 * count + 1], told[3 * count + 2], told[3 * count + 3] = id, claim, job[2]
    leases[2 * count + 1], leases[2 * count + 2] = lease, id
    claims[2 * count + 1], claims[2 * count + 2] = '0', claim .. ':' .. id
    count = count + 1
  end
end
call('ZADD', base .. 'leases', unpack(leases))
call('ZADD', base .. 'claims', unpack(claims))
call('HINCRBY', base .. 'counts', 'q/default/2', -count)
call('HINCRBY', base .. 'counts', 'q/default/3', count)
call('HINCRBY', base .. 'counts', 't/work', count)
if call('EXISTS', ready) == 0 then call('SREM', base .. 'lists:default', '5/work') end
return told
)lua";

// ARGV -> id and claim of each job, one after the other.
constexpr const char* complete_jobs = R"lua(
local prune = format('%.0f', millis + 604800000)
local leases, claims, ends, count, mark = {}, {}, {}, 0, finish(0)
for i = 1, #ARGV, 2 do
  local id, claim = ARGV[i], ARGV[i + 1]
  local key = base .. 'job:' .. id
  local was = call('HGET', key, 'life')
  if sub(was, 1, 1) == '3' and string.find(was, claim, 1, true) then
    local run_at, started = string.match(was, '^%d+ %d+ %d+ (%d+) %d+ (%d+)')
    local life = '6 4 4 ' .. run_at .. ' ' .. now .. ' ' .. started .. ' ' .. started .. ' ' ..
                 now .. ' ' .. prune .. ' ' .. format('%.0f', millis - started) ..
                 ' 12 - - 1 0 0 0 1 - - - 30000 - - 0 1 ' .. claim ..
                 ' 1568676566201355828 2 0 - - w'
    call('HSET', key, 'v', mark, 'life', life, 'result', 'null', 'state', 'SUCCESS')
    count = count + 1
    leases[count], claims[count] = id, claim .. ':' .. id
    ends[2 * count - 1], ends[2 * count] = prune, id
  end
end
call('ZREM', base .. 'leases', unpack(leases))
call('ZREM', base .. 'claims', unpack(claims))
call('ZADD', base .. 'prune', unpack(ends))
call('HINCRBY', base .. 'counts', 'q/default/3', -count)
call('HINCRBY', base .. 'counts', 't/work', -count)
call('HINCRBY', base .. 'counts', 'q/default/6', count)
)lua";

// What a key is, and how much of it there is; of hashes besides which fields.
std::string outline(HandLink& link, const std::string& key) {
  const std::string type = link.ask({"TYPE", key}).text;
  const std::map<std::string, std::string> sizes = {{"list", "LLEN"},
                                                    {"set", "SCARD"},
                                                    {"zset", "ZCARD"},
                                                    {"hash", "HLEN"},
                                                    {"string", "STRLEN"}};
  std::string text = fmt::format("{} of {}", type, link.ask({sizes.at(type), key}).integer);
  if (type != "hash") return text;
  std::map<std::string, std::string> fields;
  const redis::Reply all = link.ask({"HGETALL", key});
  for (std::size_t i = 0; i + 1 < all.items.size(); i += 2) {
    fields[all.items[i].text] = all.items[i + 1].text;
  }
  if (fields.contains("life")) text += ", state " + fields["life"].substr(0, 1);
  for (const auto& [name, value] : fields) text += " " + name;
  return text;
}

// How many keys of a kind look like this. A job's name is its kind.
std::map<std::string, int> outlines(HandLink& link, const std::string& prefix) {
  const std::string base = prefix + ":{default}:";
  std::map<std::string, int> all;
  std::string cursor = "0";
  do {
    const redis::Reply page = link.ask({"SCAN", cursor, "MATCH", base + "*", "COUNT", "1000"});
    cursor = page.items[0].text;
    for (const redis::Reply& key : page.items[1].items) {
      std::string name = key.text.substr(base.size());
      if (name.starts_with("witness:")) continue;
      if (name.starts_with("job:")) name = "job";
      ++all[name + ": " + outline(link, key.text)];
    }
  } while (cursor != "0");
  return all;
}

}  // namespace

RedisSameKeys::RedisSameKeys(const std::string& url, std::uint64_t seed)
    : link_(url),
      random_(seed),
      ids_(random_),
      payload_(payload_bytes, 'x'),
      enqueue_(link_.load(std::string(preamble) + enqueue_jobs)),
      claim_(link_.load(std::string(preamble) + claim_jobs)),
      complete_(link_.load(std::string(preamble) + complete_jobs)) {}

std::vector<std::string> RedisSameKeys::call(const std::string& script) const {
  return {"EVALSHA", script, "1", std::string(same_keys_prefix) + ":{default}:meta"};
}

void RedisSameKeys::enqueue(int jobs) {
  std::vector<std::string> words = call(enqueue_);
  for (int i = 0; i < jobs; ++i) {
    words.push_back(to_text(ids_.next(clock_.now())));
    words.push_back(payload_);
  }
  link_.ask(words);
}

int RedisSameKeys::claim(int jobs) {
  std::vector<std::string> words = call(claim_);
  for (int i = 0; i < jobs; ++i) words.push_back(to_hex(random_id<RequestId>(random_)));
  held_ = link_.ask(words);
  return static_cast<int>(held_.items.size() / 3);
}

void RedisSameKeys::complete() {
  std::vector<std::string> words = call(complete_);
  const redis::Reply held = std::exchange(held_, {});
  for (std::size_t i = 0; i + 2 < held.items.size(); i += 3) {
    words.push_back(held.items[i].text);
    words.push_back(held.items[i + 1].text);
  }
  if (!held.items.empty()) link_.ask(words);
}

void expect_same_keys(const std::string& url, const std::string& ours, const std::string& other) {
  HandLink link(url);
  const auto our = outlines(link, ours);
  const auto others = outlines(link, other);
  if (our == others && !our.empty()) return;
  for (const auto& [text, count] : our) fmt::print(stderr, "ours: {} x {}\n", count, text);
  for (const auto& [text, count] : others) fmt::print(stderr, "by hand: {} x {}\n", count, text);
  give_up("ours and the reference's keys differ");
}

}  // namespace longshore::bench
