#include "api/jobs/bulk_action.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "api/errors/error_pages.h"
#include "api/jobs/job_answers.h"
#include "api/jobs/list_filter.h"
#include "api/wire/calls.h"
#include "api/wire/json_out.h"

namespace longshore {
namespace {

constexpr int page_size = 500;
// One lot is in flight at a time, which leaves room in every commit for other commands.
constexpr std::size_t commands_at_once = 500;
constexpr std::int64_t counted_max = 200'000;
constexpr Duration resend_pause = Duration::millis(100);
constexpr Duration resend_for = Duration::seconds(30);

std::string how_many(std::size_t jobs) {
  return std::to_string(jobs) + (jobs == 1 ? " job" : " jobs");
}

// Owned by the callbacks it waits for.
class BulkRun : public std::enable_shared_from_this<BulkRun> {
 public:
  BulkRun(Api& api, CallRef call, BulkAction many)
      : api_(api), call_(std::move(call)), many_(std::move(many)) {}

  // One page per task, so that other owners' reads run in between.
  void find(Catalog& catalog) {
    while (query_ < many_.queries.size() && !is_enough()) {
      ListQuery& query = many_.queries[query_];
      const Result<bool> more = find_page(catalog, query);
      if (!more) return fail(more.error());
      if (*more) return on_read_pool(&BulkRun::find);
      query_ += 1;
    }
    if (many_.dry_run) {
      for (const Job& job : found_) done_.push_back({.job = job.id, .status = status_of(job)});
      return finish();
    }
    send_some(catalog);
  }

 private:
  // The index of a job found; nothing for the audit trail entry.
  using Item = std::optional<std::size_t>;

  // Collects the jobs of one page, until there is one more than the limit; a dry run keeps
  // counting. Returns whether there is another page.
  Result<bool> find_page(Catalog& catalog, ListQuery& query) {
    if (many_.fingerprint && !query.before) {
      const auto narrowed = narrow_to_group(catalog, *many_.fingerprint, query);
      if (!narrowed) return narrowed.error();
    }
    query.limit = page_size;
    query.stop = api_.stop_of(call_);
    const Result<ListPage> page = list_jobs(catalog, query);
    if (!page) return page.error();
    for (const JobSummary& summary : page->jobs) {
      if (!many_.accepts(summary.job) || !fails_as_asked(summary)) continue;
      matching_ += 1;
      more_ = found_.size() == many_.limit;
      if (!more_) found_.push_back(summary.job);
      if (is_enough()) return false;
    }
    query.before = page->next;
    return query.before.has_value();
  }

  // A dry run counts all matches, up to counted_max.
  bool is_enough() const { return more_ && (!many_.dry_run || matching_ >= counted_max); }

  bool fails_as_asked(const JobSummary& summary) const {
    return !many_.fingerprint || is_of_group(summary, *many_.fingerprint);
  }

  std::vector<Item> next_lot() {
    std::vector<Item> lot;
    if (sent_ == 0 && !found_.empty()) lot.emplace_back();
    const std::size_t end = std::min(sent_ + commands_at_once, found_.size());
    while (sent_ < end) lot.emplace_back(sent_++);
    return lot;
  }

  Command command_of(const Item& item) const {
    if (item) return many_.command(found_[*item]);
    return RecordAudit{.ns = call_->caller.ns,
                       .actor = actor_of(*call_),
                       .action = many_.action,
                       .target = how_many(found_.size()) + ": " + many_.filter};
  }

  void send_some(Catalog&) {
    const std::vector<Item> lot = refused_.empty() ? next_lot() : std::exchange(refused_, {});
    if (lot.empty()) return finish();
    unanswered_ = lot.size();
    for (const Item& item : lot) {
      api_.send_bulk(command_of(item),
                     [self = shared_from_this(), item](const Result<Answered>& answered) {
                       self->note(item, answered);
                     });
    }
  }

  void note(const Item& item, const Result<Answered>& answered) {
    {
      MutexLock lock(mutex_);
      if (!answered && answered.error().code == Errc::overloaded) {
        refused_.push_back(item);
        refusal_ = answered.error();
      } else if (!answered) {
        if (!failure_) failure_ = answered.error();
      } else if (const auto* settled = std::get_if<Settled>(&answered->verdict)) {
        done_.push_back(*settled);
      }
    }
    if (unanswered_.fetch_sub(1) == 1) on_read_pool(&BulkRun::continue_run);
  }

  void continue_run(Catalog& catalog) {
    if (failure_) return fail(*failure_);
    if (refused_.empty()) return send_some(catalog);
    const Instant now = api_.timers().now();
    if (!retry_until_) retry_until_ = now + resend_for;
    if (now >= *retry_until_ || api_.draining()) return give_up();
    api_.timers().at(now + resend_pause,
                     [self = shared_from_this()] { self->on_read_pool(&BulkRun::send_some); });
  }

  // Not on the committing thread or the timer thread, which must not block.
  void on_read_pool(void (BulkRun::*act)(Catalog&)) {
    ReadPool::Read next = [self = shared_from_this(), act](Catalog& catalog) {
      (*self.*act)(catalog);
    };
    if (!api_.read_pool().push(ReadKind::scan, next, call_->caller.ns)) next(api_.node().catalog());
  }

  void give_up() {
    if (done_.empty()) return fail(refusal_);
    more_ = true;
    finish();
  }

  // Some codes promise that nothing was changed. That must not be said of a partial change.
  void fail(const Error& error) {
    Problem problem = api_.problem_of(error);
    if (!done_.empty()) {
      problem = {.code = Code::store_unavailable,
                 .detail = "Some jobs were changed and others were not; send the request again"};
    }
    api_.answer(call_, problem);
  }

  void finish() {
    JsonOut out;
    out.open('{');
    out.member("count", static_cast<std::int64_t>(done_.size()));
    out.key("jobs");
    out.open('[');
    for (const Settled& settled : done_) write_status(out, settled.job, settled.status);
    out.close(']');
    out.member("more", more_);
    if (many_.dry_run) out.member("matching", matching_);
    out.close('}');
    api_.answer(call_, json_response(out.take()));
  }

  Api& api_;
  const CallRef call_;
  BulkAction many_;
  std::size_t query_ = 0;  // the query being read
  std::vector<Job> found_;
  std::size_t sent_ = 0;
  bool more_ = false;
  std::int64_t matching_ = 0;
  std::optional<Instant> retry_until_;
  std::atomic<std::size_t> unanswered_ = 0;

  // Answers of one lot may arrive on several threads; the last one starts the next lot.
  Mutex mutex_;
  std::vector<Settled> done_;
  std::vector<Item> refused_;  // for overload
  Error refusal_;
  std::optional<Error> failure_;
};

}  // namespace

void run_bulk_action(Api& api, CallRef call, BulkAction many) {
  auto run = std::make_shared<BulkRun>(api, call, std::move(many));
  api.read(call, ReadKind::scan, [run](Catalog& catalog) { run->find(catalog); });
}

}  // namespace longshore
