// Pages of jobs, newest first. Live and finished jobs are two streams in the order of ids, merged
// until the page is full; whatever SQL can judge is judged there.
#include <algorithm>
#include <functional>
#include <utility>

#include "store/sqlite/catalog.h"

namespace longshore::sqlite {
namespace {

// The WHERE of a list, and what is bound to it.
class Conditions {
 public:
  template <class... Values>
  void add(const std::string& clause, const Values&... values) {
    text_ += (text_.empty() ? "WHERE " : " AND ") + clause;
    (values_.push_back([&values](Statement& statement) { statement.bind(values); }), ...);
  }
  const std::string& text() const { return text_; }
  void bind(Statement& statement) const {
    for (const auto& value : values_) value(statement);
  }

 private:
  std::string text_;
  std::vector<std::function<void(Statement&)>> values_;
};

// The jobs that an idempotency key may lead to, of clients and of the platform.
std::pair<JobId, JobId> jobs_of_key(Reader& reader, const ListQuery& query) {
  const auto job = [&](bool platform) {
    const auto space = reader.keys.find_space(query.ns, platform);
    const auto bound = space ? reader.keys.find(*space, *query.idempotency_key) : std::nullopt;
    return bound ? bound->job : JobId{};
  };
  return {job(false), job(true)};
}

// `query` and `keyed` must outlive the answer.
Conditions conditions_of(const ListQuery& query, const std::pair<JobId, JobId>& keyed) {
  Conditions all;
  all.add("lane.ns = ?", query.ns);
  if (query.state) all.add("job.state = " + std::to_string(static_cast<int>(*query.state)));
  if (query.type) all.add("lane.type = ?", *query.type);
  if (query.queue) all.add("lane.queue = ?", *query.queue);
  if (query.job_key) all.add("ifnull(job.job_key, '') = ?", *query.job_key);
  if (query.idempotency_key) {
    all.add("ifnull(job.idempotency_key, '') = ?", *query.idempotency_key);
    if (!query.idempotency_key->empty()) {
      all.add("job.id IN (?, ?)", keyed.first, keyed.second);
    }
  }
  if (query.error) {
    all.add("(instr(job.error_code, ?) OR instr(job.error_message, ?))", *query.error,
            *query.error);
  }
  if (query.created_after) all.add("job.created_at >= ?", *query.created_after);
  if (query.created_before) all.add("job.created_at < ?", *query.created_before);
  if (query.hide_redriven) all.add("job.successor IS NULL");
  if (query.before) all.add("job.id < ?", *query.before);
  return all;
}

// The matching jobs of one table, newest first.
class Stream {
 public:
  Stream(Reader& reader, const std::string& table, const ListQuery& query,
         const Conditions& conditions, const std::string& more)
      : reader_(reader),
        tag_(query.tag),
        rows_(*reader.database, select_head(table, "(SELECT tags FROM body WHERE id = job.id)") +
                                    conditions.text() + more + " ORDER BY job.id DESC") {
    conditions.bind(rows_);
    advance();
  }

  const std::optional<JobSummary>& head() const { return head_; }
  JobSummary take() {
    JobSummary summary = std::move(*head_);
    advance();
    return summary;
  }

 private:
  void advance() {
    head_.reset();
    while (rows_.step()) {
      Head head = reader_.rows.read(rows_);
      std::vector<std::string> tags = parse_list(rows_.bytes());
      if (tag_ && std::ranges::find(tags, *tag_) == tags.end()) continue;
      head_ = JobSummary{.job = std::move(head.job), .tags = std::move(tags)};
      return;
    }
  }

  Reader& reader_;
  const std::optional<std::string>& tag_;
  Statement rows_;
  std::optional<JobSummary> head_;
};

}  // namespace

Result<ListPage> list(Reader& reader, const ListQuery& query) {
  if (query.limit < 1) return Error{.code = Errc::invalid, .message = "limit must be at least 1"};
  std::pair<JobId, JobId> keyed;
  if (query.idempotency_key) keyed = jobs_of_key(reader, query);
  const Conditions conditions = conditions_of(query, keyed);
  const bool ended = query.state && is_terminal(*query.state);
  const bool unlucky = ended && query.state != State::success;
  Stream live(reader, "live", query, conditions, ended ? " AND 0" : "");
  Stream done(reader, "done", query, conditions,
              query.state && !ended ? " AND 0" : (unlucky ? " AND job.state IN (7, 8)" : ""));
  ListPage page;
  while (live.head() || done.head()) {
    if (std::ssize(page.jobs) == query.limit) {  // one more: so there is a next page
      page.next = page.jobs.back().job.id;
      break;
    }
    const bool live_first =
        live.head() && (!done.head() || done.head()->job.id < live.head()->job.id);
    page.jobs.push_back(live_first ? live.take() : done.take());
  }
  return page;
}

}  // namespace longshore::sqlite
