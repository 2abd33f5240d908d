#include "store/redis/reader.h"

#include <algorithm>

namespace longshore::redis {
namespace {

constexpr std::int64_t page_length = 500;

std::vector<JobId> read_ids(const Reply& reply) {
  std::vector<JobId> ids;
  for (const Reply& item : reply.items) {
    if (const auto id = parse_uuid(item.text)) ids.push_back(*id);
  }
  return ids;
}

}  // namespace

Result<std::vector<Reply>> Reader::read(const std::vector<Words>& calls) const {
  if (calls.empty()) return std::vector<Reply>();
  auto replies = channel_.exchange(keys_.tag(), calls, false);
  if (!replies) return replies.error();
  for (const Reply& reply : *replies) {
    if (reply.is_error()) return error_of(reply, channel_.url().shown);
  }
  return std::move(*replies);
}

Result<std::vector<JobId>> Reader::ids(const JobId* after, std::int64_t limit) const {
  const std::string from = after == nullptr ? "-" : "(" + to_text(*after);
  auto replies =
      read({{"ZRANGEBYLEX", keys_.one("jobs"), from, "+", "LIMIT", "0", std::to_string(limit)}});
  if (!replies) return replies.error();
  return read_ids((*replies)[0]);
}

Result<std::vector<JobId>> Reader::ids_backwards(const JobId* before, std::int64_t limit) const {
  const std::string from = before == nullptr ? "+" : "(" + to_text(*before);
  auto replies =
      read({{"ZREVRANGEBYLEX", keys_.one("jobs"), from, "-", "LIMIT", "0", std::to_string(limit)}});
  if (!replies) return replies.error();
  return read_ids((*replies)[0]);
}

Result<std::vector<Reply>> Reader::fields(const std::vector<JobId>& ids,
                                          const std::vector<std::string>& fields) const {
  std::vector<Words> calls;
  calls.reserve(ids.size());
  for (const JobId& id : ids) {
    Words call = {"HMGET", keys_.job(id)};
    call.insert(call.end(), fields.begin(), fields.end());
    calls.push_back(std::move(call));
  }
  return read(calls);
}

Result<Nothing> Reader::each_job(
    const std::vector<std::string>& names,
    const std::function<bool(const JobId&, const Reply&)>& visit) const {
  std::vector<JobId> page;
  do {
    const JobId last = page.empty() ? JobId{} : page.back();
    auto next = ids(page.empty() ? nullptr : &last, page_length);
    if (!next) return next.error();
    page = std::move(*next);
    const auto replies = fields(page, names);
    if (!replies) return replies.error();
    for (std::size_t i = 0; i < page.size(); ++i) {
      const bool gone = std::ranges::all_of((*replies)[i].items, &Reply::is_nil);
      if (!gone && !visit(page[i], (*replies)[i])) return Nothing{};
    }
  } while (std::ssize(page) == page_length);
  return Nothing{};
}

Result<std::vector<std::string>> read_namespaces(Channel& channel) {
  const Keys shared = Keys::shared(channel.url().prefix);
  const auto replies = Reader(channel, shared).read({{"SMEMBERS", shared.one("namespaces")}});
  if (!replies) return replies.error();
  std::vector<std::string> names;
  for (const Reply& item : (*replies)[0].items) names.push_back(item.text);
  std::ranges::sort(names);
  return names;
}

}  // namespace longshore::redis
