#include "bench/redis_hand.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

namespace longshore::bench {
namespace {

constexpr int payload_bytes = 200;

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

[[noreturn]] void give_up(const std::string& why) {
  fmt::print(stderr, "by hand: {}\n", why);
  std::exit(1);
}

}  // namespace

RedisByHand::RedisByHand(const std::string& url) : payload_(payload_bytes, 'x') {
  const auto parsed = redis::parse_url(url);
  if (!parsed) give_up(parsed.error().message);
  auto link = redis::Link::open(*parsed, parsed->hosts.front(), nullptr);
  if (!link) give_up(link.error().message);
  link_ = std::move(*link);
  enqueue_ = load(enqueue_job);
  claim_ = load(claim_jobs);
  complete_ = load(complete_jobs);
}

redis::Reply RedisByHand::ask(const std::vector<std::string>& words) {
  auto reply = link_->ask(words);
  if (!reply) give_up(reply.error().message);
  if (reply->is_error()) give_up(reply->text);
  return std::move(*reply);
}

std::string RedisByHand::load(const std::string& source) {
  return ask({"SCRIPT", "LOAD", source}).text;
}

void RedisByHand::enqueue(int jobs) {
  const std::vector<std::string> call = {"EVALSHA",  enqueue_,     "2",
                                         "hand:ids", "hand:ready", payload_};
  std::string wire;
  for (int i = 0; i < jobs; ++i) redis::append_command(wire, call);
  const auto replies = link_->converse(wire, static_cast<std::size_t>(jobs));
  if (!replies) give_up(replies.error().message);
  for (const redis::Reply& reply : *replies) {
    if (reply.is_error()) give_up(reply.text);
  }
}

int RedisByHand::work(int jobs) {
  const redis::Reply leases =
      ask({"EVALSHA", claim_, "2", "hand:ready", "hand:leases", std::to_string(jobs)});
  if (leases.items.empty()) return 0;
  std::vector<std::string> complete = {"EVALSHA", complete_, "1", "hand:leases"};
  for (const redis::Reply& lease : leases.items) {
    complete.push_back(lease.items[0].text);
    complete.push_back(lease.items[1].text);
  }
  return static_cast<int>(ask(complete).integer);
}

}  // namespace longshore::bench
