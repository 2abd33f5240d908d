// Pages of jobs, newest first. What an index of states knows is not searched for among all jobs.
#include <algorithm>
#include <utility>

#include "store/redis/catalog.h"
#include "store/redis/fields.h"
#include "store/redis/whereabouts.h"

namespace longshore::redis {
namespace {

constexpr std::int64_t page_length = 200;

bool matches(const ListQuery& query, const Head& head, const std::vector<std::string>& tags) {
  const Job& job = head.job;
  const auto differs = [](const auto& wanted, const auto& value) {
    return wanted && *wanted != value;
  };
  if (differs(query.state, job.state) || differs(query.type, job.type)) return false;
  if (differs(query.queue, job.queue) || differs(query.job_key, job.job_key)) return false;
  if (differs(query.idempotency_key, job.idempotency_key)) return false;
  if (query.created_after && job.created_at < *query.created_after) return false;
  if (query.created_before && job.created_at >= *query.created_before) return false;
  if (query.hide_redriven && job.successor_id) return false;
  if (query.tag && std::ranges::find(tags, *query.tag) == tags.end()) return false;
  if (!query.error) return true;
  return head.error &&
         (head.error->code.contains(*query.error) || head.error->message.contains(*query.error));
}

// Newest first, from behind `before`.
class Candidates {
 public:
  Candidates(const Reader& reader, const ListQuery& query)
      : reader_(reader), query_(query), before_(query.before) {}

  // Empty at the end.
  Result<std::vector<JobId>> next() {
    if (has_index()) return indexed();
    auto ids = reader_.ids_backwards(before_ ? &*before_ : nullptr, page_length);
    if (ids && !ids->empty()) before_ = ids->back();
    return ids;
  }

 private:
  bool has_index() const {
    if (!query_.state) return false;
    return *query_.state != State::queued && *query_.state != State::success &&
           *query_.state != State::canceled;
  }

  Words index_call() const {
    const Keys& keys = reader_.keys();
    switch (*query_.state) {
      case State::dead:
        return {"LRANGE", keys.one("dead"), "0", "-1"};
      case State::created:
        return {"ZRANGE", keys.one("recorded"), "0", "-1"};
      case State::running:
      case State::waiting:
        return {"ZRANGE", keys.one("leases"), "0", "-1"};
      default:
        return {"ZRANGE", keys.one("future"), "0", "-1"};
    }
  }

  Result<std::vector<JobId>> indexed() {
    if (!asked_) {
      asked_ = true;
      const auto members = reader_.read({index_call()});
      if (!members) return members.error();
      for (const Reply& member : (*members)[0].items) {
        const auto id = parse_uuid(member.text);
        if (id && (!before_ || *id < *before_)) rest_.push_back(*id);
      }
      std::ranges::sort(rest_);
    }
    std::vector<JobId> page;
    while (!rest_.empty() && std::ssize(page) < page_length) {
      page.push_back(rest_.back());
      rest_.pop_back();
    }
    return page;
  }

  const Reader& reader_;
  const ListQuery& query_;
  std::optional<JobId> before_;
  std::vector<JobId> rest_;
  bool asked_ = false;
};

}  // namespace

Result<ListPage> list(const View& view, const ListQuery& query) {
  if (query.limit < 1) return Error{.code = Errc::invalid, .message = "limit must be at least 1"};
  const Reader reader = view.of(query.ns);
  Candidates candidates(reader, query);
  ListPage page;
  for (;;) {
    const auto ids = candidates.next();
    if (!ids) return ids.error();
    if (ids->empty()) return page;
    const auto replies = reader.fields(*ids, {"given", "life", "place", "tags"});
    if (!replies) return replies.error();
    for (std::size_t i = 0; i < ids->size(); ++i) {
      const Reply& reply = (*replies)[i];
      auto head = read_head(query.ns, (*ids)[i], reply, view.rules.policy);
      if (!head) continue;
      auto tags = parse_list(reply.items[3].text);
      if (!matches(query, *head, tags)) continue;
      if (std::ssize(page.jobs) == query.limit) {
        page.next = page.jobs.back().job.id;
        return page;
      }
      page.jobs.push_back({.job = std::move(head->job), .tags = std::move(tags)});
    }
  }
}

}  // namespace longshore::redis
