// Pages of jobs, newest first. Live jobs and finished ones, or the dead and the canceled by their
// index, are streams in the order of ids, merged until the page is full; whatever SQL can judge is
// judged there. A stream ends with the last job that the queue_types count, so that a queue, a type
// or a state of few jobs is not looked for through all the history behind them. What takes too long
// for one read is read in slices of so many jobs, each of its own moment.
#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <utility>

#include "core/record/history_text.h"
#include "store/sqlite/read/catalog.h"

namespace longshore::sqlite {
namespace {

constexpr std::int64_t sorted_max = 5000;
constexpr std::int64_t listed_at_once = 20'000;
constexpr std::int64_t listed_at_least = 4;
constexpr int steps_of_first_try = 5'000'000;

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

// What is bound besides the query itself.
struct Bound {
  std::pair<JobId, JobId> keyed;
  std::string tag;
  std::optional<JobId> from;  // the oldest job of a slice
};

Bound bound_of(Reader& reader, const ListQuery& query, const std::optional<JobId>& from) {
  Bound bound{.from = from};
  if (query.idempotency_key) bound.keyed = jobs_of_key(reader, query);
  if (query.tag) bound.tag = " " + encode_field(*query.tag) + " ";
  return bound;
}

// `query` must outlive the answer.
Conditions lanes_of(const ListQuery& query) {
  Conditions all;
  all.add("lane.ns = ?", query.ns);
  if (query.type) all.add("lane.type = ?", *query.type);
  if (query.queue) all.add("lane.queue = ?", *query.queue);
  return all;
}

void add_keys(Conditions& all, const ListQuery& query, const Bound& bound) {
  if (query.job_key && query.job_key->empty()) all.add("job.job_key IS NULL");
  if (query.job_key && !query.job_key->empty()) {
    // As the index has it, which begins with the kind.
    all.add("job.job_key = ? AND job.kind IN (SELECT id FROM kind WHERE ns = ?)", *query.job_key,
            query.ns);
  }
  if (!query.idempotency_key) return;
  all.add("ifnull(job.idempotency_key, '') = ?", *query.idempotency_key);
  if (!query.idempotency_key->empty()) {
    all.add("job.id IN (?, ?)", bound.keyed.first, bound.keyed.second);
  }
}

// Jobs of one table that are to be looked at: all of it, or those in one state, and of that state
// those that `only` says.
struct Part {
  std::string table;
  std::vector<State> states;
  std::string only = {};
  bool may_be_withdrawn = true;

  // A tag is looked for where it is written, if all the history must be gone through: that is
  // less to read than the jobs themselves.
  bool by_body(const ListQuery& query) const {
    const bool keyed = query.job_key || query.idempotency_key;
    return query.tag && !keyed && table == "done" && states.front() == State::success;
  }
};

std::string clause_of(const StateMatch& match) {
  std::string clause = "1";
  if (match.withdrawn)
    clause += *match.withdrawn ? " AND (job.flags & 2) != 0" : " AND (job.flags & 2) = 0";
  if (match.started) clause += *match.started ? " AND job.attempt > 0" : " AND job.attempt = 0";
  return clause;
}

// One part for each state that is asked for: each has an index, or is a table of its own.
std::vector<Part> parts_of(const std::vector<StateMatch>& states) {
  std::vector<Part> parts;
  for (const StateMatch& match : states) {
    const std::string clause = clause_of(match);
    const auto same =
        std::ranges::find(parts, match.state, [](const Part& part) { return part.states.front(); });
    if (same == parts.end()) {
      parts.push_back({is_terminal(match.state) ? "done" : "live",
                       {match.state},
                       clause,
                       match.withdrawn.value_or(true)});
    } else {
      same->only += " OR " + clause;
      same->may_be_withdrawn |= match.withdrawn.value_or(true);
    }
  }
  return parts;
}

std::vector<Part> parts_of(const ListQuery& query) {
  if (!query.states.empty()) return parts_of(query.states);
  std::vector<Part> parts = {{"live",
                              {State::created, State::scheduled, State::queued, State::running,
                               State::waiting, State::retry}}};
  if (query.error) {  // a job that succeeded has none
    parts.push_back({"done", {State::dead}});
    parts.push_back({"done", {State::canceled}});
  } else {
    parts.push_back({"done", {State::success, State::dead, State::canceled}});
  }
  return parts;
}

// How a state is asked for decides which index SQLite takes: one in the order of ids if there is
// one. That of queued jobs is in the order of their queue_types, so what it finds has to be sorted,
// and many are better met on a walk through all of the live ones.
std::string clause_of(const Part& part, std::int64_t most) {
  if (part.states.size() > 1) return "";
  const State state = part.states.front();
  const std::string clause = "job.state = " + std::to_string(static_cast<int>(state));
  switch (state) {
    case State::running:
    case State::waiting:
      return " AND " + clause + " AND job.state IN (3, 4)";
    case State::dead:
    case State::canceled:
      return " AND " + clause + " AND job.state IN (7, 8)";
    case State::queued:
      return (most > sorted_max ? " AND +" : " AND ") + clause;
    default:
      return " AND " + clause;
  }
}

// `query` and `bound` must outlive the answer.
Conditions conditions_of(const ListQuery& query, const Bound& bound, const Part& part) {
  const bool by_body = part.by_body(query);
  Conditions all = lanes_of(query);
  add_keys(all, query, bound);
  if (query.error) {
    all.add("(instr(job.error_code, ?) OR instr(job.error_message, ?))", *query.error,
            *query.error);
  }
  if (query.created_after) all.add("job.created_at >= ?", *query.created_after);
  if (query.created_before) all.add("job.created_at < ?", *query.created_before);
  if (query.hide_redriven) all.add("job.successor IS NULL");
  if (query.before) all.add(by_body ? "body.id < ?" : "job.id < ?", *query.before);
  if (bound.from) all.add(by_body ? "body.id >= ?" : "job.id >= ?", *bound.from);
  if (by_body) all.add("job.id = body.id");
  if (!part.only.empty()) all.add("(" + part.only + ")");
  if (query.tag) {
    const std::string tags = by_body ? "body.tags" : "(SELECT tags FROM body WHERE id = job.id)";
    all.add("instr(' ' || " + tags + " || ' ', ?)", bound.tag);
  }
  return all;
}

using Counts = std::array<std::int64_t, state_count>;

// What the queue_types count of each state, of the jobs that the query may find.
Counts counts_of(Reader& reader, const ListQuery& query) {
  const Conditions queue_types = lanes_of(query);
  Statement sums(*reader.database,
                 "SELECT sum(created), sum(scheduled), sum(queued), sum(running), sum(waiting), "
                 "sum(retry), sum(success), sum(dead), sum(canceled) FROM lane " +
                     queue_types.text());
  queue_types.bind(sums);
  Counts counts{};
  if (!sums.step()) return counts;
  for (std::int64_t& count : counts) count = sums.integer();
  return counts;
}

// At least as many as the part has. A dead job that was withdrawn is counted as canceled.
std::int64_t count_in(const Counts& counts, const Part& part, Rules::CancelPath cancel_path) {
  std::int64_t sum = 0;
  for (const State state : part.states) sum += counts[static_cast<std::size_t>(state)];
  const bool is_dead = part.states == std::vector{State::dead};
  if (is_dead && part.may_be_withdrawn && cancel_path != Rules::CancelPath::direct) {
    sum += counts[static_cast<std::size_t>(State::canceled)];
  }
  return sum;
}

std::string select_part(const ListQuery& query, const Part& part, const Conditions& conditions,
                        std::int64_t most) {
  const bool by_body = part.by_body(query);
  return select_head((by_body ? "body CROSS JOIN " : "") + part.table,
                     "(SELECT tags FROM body WHERE id = job.id)") +
         conditions.text() + clause_of(part, most) +
         (by_body ? " ORDER BY body.id" : " ORDER BY job.id") + " DESC LIMIT " +
         std::to_string(most);
}

// The matching jobs of one part, newest first.
class Stream {
 public:
  Stream(Reader& reader, const std::string& sql, const Conditions& conditions)
      : reader_(reader), rows_(*reader.database, sql) {
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
    if (!rows_.step()) return;
    Head head = reader_.rows.read(rows_);
    if (head.error) head.error->details.clear();
    head_ = JobSummary{.job = std::move(head.job),
                       .tags = parse_list(rows_.bytes()),
                       .error = std::move(head.error)};
  }

  Reader& reader_;
  Statement rows_;
  std::optional<JobSummary> head_;
};

// The one whose head is the newest; none at the end of all.
Stream* newest(std::deque<Stream>& streams) {
  Stream* found = nullptr;
  for (Stream& stream : streams) {
    if (!stream.head()) continue;
    if (found == nullptr || found->head()->job.id < stream.head()->job.id) found = &stream;
  }
  return found;
}

struct Wanted {
  ListQuery query;
  Rules::CancelPath cancel_path;
};

// Adds what matches to the page, newest first, as far as it gets.
void fill(Reader& reader, const Wanted& wanted, const std::optional<JobId>& from, ListPage& page) {
  const ListQuery& query = wanted.query;
  const Bound bound = bound_of(reader, query, from);
  const Counts counts = counts_of(reader, query);
  std::deque<Stream> streams;
  for (const Part& part : parts_of(query)) {
    const std::int64_t most = count_in(counts, part, wanted.cancel_path);
    if (most == 0) continue;
    const Conditions conditions = conditions_of(query, bound, part);
    streams.emplace_back(reader, select_part(query, part, conditions, most), conditions);
  }
  while (Stream* stream = newest(streams)) {
    // A stream that was interrupted may have had a newer one.
    if (reader.database->failed()) return;
    if (std::ssize(page.jobs) == query.limit) {  // one more: so there is a next page
      page.next = page.jobs.back().job.id;
      return;
    }
    page.jobs.push_back(stream->take());
  }
}

// The job with which a slice before `before` ends; none if there are not so many.
std::optional<JobId> slice_end(Reader& reader, const std::optional<JobId>& before,
                               std::int64_t jobs) {
  constexpr JobId last = {.high = ~std::uint64_t{0}, .low = ~std::uint64_t{0}};
  Statement end(*reader.database,
                "SELECT max(id) FROM (SELECT * FROM (SELECT id FROM live WHERE id < ?1 "
                "ORDER BY id DESC LIMIT 1 OFFSET ?2) UNION ALL SELECT * FROM (SELECT id FROM done "
                "WHERE id < ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2))");
  end.bind(before.value_or(last));
  end.bind(jobs);
  return end.step() ? end.optional_id<JobId>() : std::nullopt;
}

// What was interrupted is no failure: what was found until then stands.
bool was_interrupted(Reader& reader) {
  if (!reader.limit.reached()) return false;
  reader.database->forget_failure();
  return true;
}

// Whether the page has all it can have.
Result<bool> fill_at_once(Reader& reader, const Wanted& wanted, ListPage& page) {
  reader.limit.limit_steps(steps_of_first_try);
  fill(reader, wanted, std::nullopt, page);
  return !was_interrupted(reader);
}

struct ListSlice {
  std::optional<JobId> end;  // none: it was the last
  bool interrupted = false;
};

Result<ListSlice> fill_slice(Reader& reader, const Wanted& wanted, std::int64_t jobs,
                             ListPage& page) {
  ListSlice slice{.end = slice_end(reader, wanted.query.before, jobs)};
  fill(reader, wanted, slice.end, page);
  slice.interrupted = jobs > listed_at_least && was_interrupted(reader);
  return slice;
}

}  // namespace

Result<ListPage> list(Readers& readers, const ListQuery& query, Rules::CancelPath cancel_path) {
  if (query.limit < 1) return Error{.code = Errc::invalid, .message = "limit must be at least 1"};
  ListPage page;
  Wanted rest{query, cancel_path};
  const auto done = readers.read([&](Reader& reader) { return fill_at_once(reader, rest, page); });
  if (!done) return done.error();
  bool more = !*done;
  if (!page.jobs.empty()) rest.query.before = page.jobs.back().job.id;
  std::int64_t jobs = listed_at_once;
  while (more && !page.next) {
    if (query.stop) {
      if (auto error = query.stop()) return *error;
    }
    const std::size_t before = page.jobs.size();
    const auto slice =
        readers.read([&](Reader& reader) { return fill_slice(reader, rest, jobs, page); });
    if (!slice) return slice.error();
    if (slice->interrupted) {
      jobs = std::max(jobs / 4, listed_at_least);
      if (page.jobs.size() > before) rest.query.before = page.jobs.back().job.id;
      continue;
    }
    more = slice->end.has_value();
    rest.query.before = slice->end;
  }
  return page;
}

}  // namespace longshore::sqlite
