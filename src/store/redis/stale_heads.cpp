// Elements that became stale in a list wait there for a claim to come to them. Where none does,
// such as in a queue that nobody works on any more, a sweep takes them off.
#include <algorithm>

#include "store/redis/transaction.h"

namespace longshore::redis {
namespace {

constexpr std::size_t lists_at_once = 8;

// Of a list's field of `stale`, QUEUE/PRIORITY/TYPE: the list's head as a claim would ask for it.
std::optional<Question::Wish> head_of_list(std::string_view field) {
  const std::size_t slash = field.find('/');
  if (slash == std::string_view::npos || field.size() < slash + 4) return std::nullopt;
  const auto queue = parse_word(field.substr(0, slash));
  const auto type = parse_word(field.substr(slash + 3));
  const int priority = field[slash + 1] - '0';
  if (!queue || !type || priority < 0 || priority > 9) return std::nullopt;
  return Question::Wish{
      .queue = *queue, .types = std::vector<std::string>{*type}, .from = priority, .limit = 1};
}

// Those that have stale elements anywhere, from behind the one that was looked at last.
std::vector<std::string> next_lists(const Balance& balance, const std::string& last) {
  std::vector<std::string> fields;
  for (const auto& [field, count] : balance.stale) {
    if (count > 0 && balance.lengths.contains(field)) fields.push_back(field);
  }
  std::ranges::rotate(fields, std::ranges::upper_bound(fields, last));
  fields.resize(std::min(fields.size(), lists_at_once));
  return fields;
}

}  // namespace

void RedisTransaction::trim_stale_heads(const Balance& balance) {
  const std::string walk = "stale";
  for (const std::string& field : next_lists(balance, around_.copies.looked(ns_, walk))) {
    const auto wish = head_of_list(field);
    if (!wish || trouble_) continue;
    ask({.wishes = {*wish}});  // finish() takes off what was seen to be stale
    leaves_stale_heads_ = leaves_stale_heads_ || shelf_.ended_early(*wish);
    around_.copies.look(ns_, walk, field);
  }
}

}  // namespace longshore::redis
