// Pages of jobs, newest first. What an index of states knows is not searched for among all jobs.
#include <algorithm>
#include <span>
#include <utility>

#include "store/redis/catalog.h"
#include "store/redis/fields.h"
#include "store/redis/survey.h"
#include "store/redis/whereabouts.h"

namespace longshore::redis {
namespace {

constexpr std::int64_t page_length = 200;
// An index of more jobs than this is read only if it has less than such a part of all.
constexpr std::int64_t indexed_max = 20'000;
constexpr std::int64_t indexed_part = 16;

bool matches(const ListQuery& query, const Head& head, const std::vector<std::string>& tags) {
  const Job& job = head.job;
  const auto differs = [](const auto& wanted, const auto& value) {
    return wanted && *wanted != value;
  };
  if (!longshore::matches(query.states, job) || differs(query.type, job.type)) return false;
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

// Where the ids of all jobs in one state stand; nothing if no index has them all. The dead letters
// may leave out jobs that were withdrawn, which rules that cancel directly never keep as DEAD.
std::optional<Words> index_of(const StateMatch& match, const Keys& keys,
                              Rules::CancelPath cancel_path) {
  switch (match.state) {
    case State::created:
      return Words{"ZRANGE", keys.one("recorded"), "0", "-1"};
    case State::scheduled:
    case State::retry:
      return Words{"ZRANGE", keys.one("future"), "0", "-1"};
    case State::running:
    case State::waiting:
      return Words{"ZRANGE", keys.one("leases"), "0", "-1"};
    case State::dead:
      if (cancel_path != Rules::CancelPath::direct && match.withdrawn.value_or(true)) break;
      return Words{"LRANGE", keys.one("dead"), "0", "-1"};
    default:
      break;
  }
  return std::nullopt;
}

// What to read to find every job in these states; empty if all jobs have to be looked at.
std::vector<Words> indexes_of(const ListQuery& query, const Keys& keys,
                              Rules::CancelPath cancel_path) {
  std::vector<Words> calls;
  for (const StateMatch& match : query.states) {
    std::optional<Words> call = index_of(match, keys, cancel_path);
    if (!call) return {};
    const bool known = std::ranges::find(calls, *call) != calls.end();
    if (!known) calls.push_back(std::move(*call));
  }
  return calls;
}

bool is_of_live(const ListQuery& query) {
  const auto is_ended = [](const StateMatch& match) { return is_terminal(match.state); };
  return !query.states.empty() && std::ranges::none_of(query.states, is_ended);
}

// Newest first, from behind `before`.
class Candidates {
 public:
  Candidates(const View& view, const Reader& reader, const ListQuery& query)
      : reader_(reader),
        of_live_(is_of_live(query)),
        indexes_(indexes_of(query, reader.keys(), view.cancel_path)),
        before_(query.before) {
    if (!of_live_ || view.walks == nullptr) return;
    walk_.emplace(*view.walks, reader_,
                  LiveWalk::Start{.ns = query.ns,
                                  .before = before_,
                                  .now = view.now(),
                                  .went_back = view.channel.counts().went_back});
  }

  // Empty at the end.
  Result<std::vector<JobId>> next() {
    if (!begun_) {
      begun_ = true;
      if (const auto done = choose_way(); !done) return done.error();
    }
    if (!indexes_.empty()) return indexed();
    if (walk_) return walk_->next(page_length);
    auto ids = reader_.ids_backwards(before_ ? &*before_ : nullptr, page_length);
    if (ids && !ids->empty()) before_ = ids->back();
    return ids;
  }

  // What became of a candidate; in order.
  void note(const JobId& id, const std::optional<Head>& head) {
    if (walk_ && indexes_.empty()) walk_->note(id, head);
  }
  void keep() {
    if (walk_ && indexes_.empty()) walk_->keep();
  }

 private:
  // An index is read whole for each page. If it has very many jobs, and so a good part of all, a
  // walk through all jobs comes to enough of them sooner.
  Result<Nothing> choose_way() {
    if (indexes_.empty()) return Nothing{};
    if (of_live_) {
      std::vector<Words> sizes = {{"ZCARD", reader_.keys().one("jobs")}};
      for (const Words& index : indexes_) sizes.push_back({"ZCARD", index[1]});
      const auto replies = reader_.read(sizes);
      if (!replies) return replies.error();
      std::int64_t indexed = 0;
      for (const Reply& size : std::span(*replies).subspan(1)) indexed += read_integer(size);
      if (indexed > indexed_max && indexed > read_integer((*replies)[0]) / indexed_part) {
        indexes_.clear();
        return Nothing{};
      }
    }
    return read_indexes();
  }

  Result<Nothing> read_indexes() {
    const auto replies = reader_.read(indexes_);
    if (!replies) return replies.error();
    for (const Reply& reply : *replies) {
      for (const Reply& member : reply.items) {
        const auto id = parse_uuid(member.text);
        if (id && (!before_ || *id < *before_)) rest_.push_back(*id);
      }
    }
    // A job that moved meanwhile may stand in two of them.
    std::ranges::sort(rest_);
    const auto repeated = std::ranges::unique(rest_);
    rest_.erase(repeated.begin(), repeated.end());
    return Nothing{};
  }

  std::vector<JobId> indexed() {
    std::vector<JobId> page;
    while (!rest_.empty() && std::ssize(page) < page_length) {
      page.push_back(rest_.back());
      rest_.pop_back();
    }
    return page;
  }

  const Reader& reader_;
  const bool of_live_;
  std::vector<Words> indexes_;  // empty: all jobs are walked through
  std::optional<JobId> before_;
  std::optional<LiveWalk> walk_;
  std::vector<JobId> rest_;
  bool begun_ = false;
};

Result<ListPage> fill(const View& view, const Reader& reader, const ListQuery& query,
                      Candidates& candidates) {
  ListPage page;
  for (;;) {
    if (query.stop) {
      if (auto error = query.stop()) return *error;
    }
    const auto ids = candidates.next();
    if (!ids) return ids.error();
    if (ids->empty()) return page;
    const auto replies = reader.fields(*ids, {"given", "life", "place", "tags"});
    if (!replies) return replies.error();
    for (std::size_t i = 0; i < ids->size(); ++i) {
      const Reply& reply = (*replies)[i];
      auto head = read_head(query.ns, (*ids)[i], reply, view.usual);
      candidates.note((*ids)[i], head);
      if (!head) continue;
      auto tags = parse_list(reply.items[3].text);
      if (!matches(query, *head, tags)) continue;
      if (std::ssize(page.jobs) == query.limit) {
        page.next = page.jobs.back().job.id;
        return page;
      }
      if (head->error) head->error->details.clear();
      page.jobs.push_back(
          {.job = std::move(head->job), .tags = std::move(tags), .error = std::move(head->error)});
    }
  }
}

}  // namespace

Result<ListPage> list(const View& view, const ListQuery& query) {
  if (query.limit < 1) return Error{.code = Errc::invalid, .message = "limit must be at least 1"};
  const Reader reader = view.of(query.ns);
  Candidates candidates(view, reader, query);
  auto page = fill(view, reader, query, candidates);
  candidates.keep();
  return page;
}

}  // namespace longshore::redis
