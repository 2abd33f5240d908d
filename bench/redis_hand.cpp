#include "bench/redis_hand.h"

#include <utility>

#include "bench/redis_caller.h"

namespace longshore::bench {
namespace {

constexpr const char* enqueue_job = R"lua(
local id = redis.call('INCR', KEYS[1])
local now = redis.call('TIME')
redis.call('HSET', 'hand:job:' .. id, 'type', 'work', 'state', 'queued', 'payload', ARGV[1],
           'created', now[1] * 1000 + math.floor(now[2] / 1000))
redis.call('RPUSH', KEYS[2], id)
return id)lua";

constexpr const char* claim_jobs = R"lua(
local ids = redis.call('LPOP', KEYS[1], ARGV[1])
if not ids then return {} end
local now = redis.call('TIME')
local ends = now[1] * 1000 + math.floor(now[2] / 1000) + 30000
local told = {}
for i, id in ipairs(ids) do
  redis.call('ZADD', KEYS[2], ends, id)
  local token = redis.call('HINCRBY', 'hand:job:' .. id, 'epoch', 1)
  redis.call('HSET', 'hand:job:' .. id, 'state', 'running')
  told[i] = {id, tostring(token), redis.call('HGET', 'hand:job:' .. id, 'payload')}
end
return told)lua";

constexpr const char* complete_jobs = R"lua(
local now = redis.call('TIME')
local ended = 0
for i = 1, #ARGV, 2 do
  local job = 'hand:job:' .. ARGV[i]
  if redis.call('HGET', job, 'epoch') == ARGV[i + 1] and
     redis.call('ZREM', KEYS[1], ARGV[i]) == 1 then
    redis.call('HSET', job, 'state', 'done', 'result', 'null', 'ended', now[1])
    ended = ended + 1
  end
end
return ended)lua";

}  // namespace

HandLink::HandLink(const std::string& url) {
  const auto parsed = redis::parse_url(url);
  if (!parsed) give_up(parsed.error().message);
  auto link = redis::Link::open(*parsed, parsed->hosts.front(), nullptr);
  if (!link) give_up(link.error().message);
  link_ = std::move(*link);
}

redis::Reply HandLink::ask(const std::vector<std::string>& words) {
  auto reply = link_->ask(words);
  if (!reply) give_up(reply.error().message);
  if (reply->is_error()) give_up(reply->text);
  return std::move(*reply);
}

std::string HandLink::load(const std::string& source) {
  return ask({"SCRIPT", "LOAD", source}).text;
}

void HandLink::repeat(const std::vector<std::string>& words, int times) {
  std::string wire;
  for (int i = 0; i < times; ++i) redis::append_command(wire, words);
  const auto replies = link_->converse(wire, static_cast<std::size_t>(times));
  if (!replies) give_up(replies.error().message);
  for (const redis::Reply& reply : *replies) {
    if (reply.is_error()) give_up(reply.text);
  }
}

RedisByHand::RedisByHand(const std::string& url)
    : link_(url),
      payload_(payload_bytes, 'x'),
      enqueue_(link_.load(enqueue_job)),
      claim_(link_.load(claim_jobs)),
      complete_(link_.load(complete_jobs)) {}

void RedisByHand::enqueue(int jobs) {
  link_.repeat({"EVALSHA", enqueue_, "2", "hand:ids", "hand:ready", payload_}, jobs);
}

int RedisByHand::claim(int jobs) {
  held_ = link_.ask({"EVALSHA", claim_, "2", "hand:ready", "hand:leases", std::to_string(jobs)});
  return static_cast<int>(held_.items.size());
}

void RedisByHand::complete() {
  std::vector<std::string> words = {"EVALSHA", complete_, "1", "hand:leases"};
  for (const redis::Reply& lease : std::exchange(held_, {}).items) {
    words.push_back(lease.items[0].text);
    words.push_back(lease.items[1].text);
  }
  if (words.size() > 4) link_.ask(words);
}

}  // namespace longshore::bench
