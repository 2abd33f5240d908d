#include "api/many_jobs.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "api/job_answers.h"
#include "api/json_out.h"
#include "api/list_filter.h"
#include "api/operator_calls.h"
#include "core/error_group.h"

namespace longshore {
namespace {

constexpr int page_size = 500;
constexpr std::size_t commands_at_once = 500;
constexpr std::int64_t counted_max = 200'000;

// Kept alive by what it waits for.
class Run : public std::enable_shared_from_this<Run> {
 public:
  Run(Api& api, CallRef call, ManyJobs many)
      : api_(api), call_(std::move(call)), many_(std::move(many)) {}

  void find(Catalog& catalog) {
    for (ListQuery& query : many_.queries) {
      if (is_enough()) break;
      if (auto error = find_all(catalog, query)) return fail(*error);
    }
    if (many_.dry_run) {
      for (const Job& job : found_) done_.push_back({.job = job.id, .status = status_of(job)});
      return finish();
    }
    send_some();
  }

 private:
  // Collects what one query finds, until there is one more than was asked for; a dry run counts on.
  std::optional<Error> find_all(Catalog& catalog, ListQuery& query) {
    query.limit = page_size;
    do {
      const Result<ListPage> page = list_jobs(catalog, query);
      if (!page) return page.error();
      for (const JobSummary& summary : page->jobs) {
        if (!many_.is_meant(summary.job) || !fails_as_asked(summary)) continue;
        matching_ += 1;
        more_ = found_.size() == many_.limit;
        if (!more_) found_.push_back(summary.job);
        if (is_enough()) return std::nullopt;
      }
      query.before = page->next;
    } while (query.before);
    return std::nullopt;
  }

  // Whoever only asks is told how many there are, as far as that is counted.
  bool is_enough() const { return more_ && (!many_.dry_run || matching_ >= counted_max); }

  bool fails_as_asked(const JobSummary& summary) const {
    if (!many_.fingerprint) return true;
    if (!summary.error) return false;
    const auto& [code, message, details] = *summary.error;
    return error_fingerprint(summary.job.type, code, message) == *many_.fingerprint;
  }

  void send_some() {
    const std::size_t count = std::min(commands_at_once, found_.size() - sent_);
    if (count == 0) return finish();
    const std::size_t first = std::exchange(sent_, sent_ + count);
    unanswered_ = count;
    for (std::size_t i = first; i < first + count; ++i) {
      api_.send(
          many_.command(found_[i]),
          [self = shared_from_this()](const Result<Answered>& answered) { self->note(answered); });
    }
  }

  void note(const Result<Answered>& answered) {
    {
      MutexLock lock(mutex_);
      if (!answered) {
        if (!failure_) failure_ = answered.error();
      } else if (const auto* settled = std::get_if<Settled>(&answered->verdict)) {
        done_.push_back(*settled);
      }
    }
    if (unanswered_.fetch_sub(1) != 1) return;
    // The committing thread has others to tell; the next few hundred are sent from elsewhere.
    ReadLanes::Read next = [self = shared_from_this()](Catalog&) { self->go_on(); };
    if (!api_.lanes().push(Lane::scan, next)) next(api_.node().catalog());
  }

  void go_on() {
    if (failure_) return fail(*failure_);
    send_some();
  }

  void fail(const Error& error) { api_.answer(call_, api_.problem_of(error)); }

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
  ManyJobs many_;
  std::vector<Job> found_;
  std::size_t sent_ = 0;
  bool more_ = false;
  std::int64_t matching_ = 0;
  std::atomic<std::size_t> unanswered_ = 0;

  // The last answer of a lot hands everything over to the next lot; within one, answers may come on
  // several threads.
  Mutex mutex_;
  std::vector<Settled> done_;
  std::optional<Error> failure_;
};

}  // namespace

void run_many(Api& api, CallRef call, ManyJobs many) {
  auto run = std::make_shared<Run>(api, call, std::move(many));
  api.read(call, Lane::scan, [run](Catalog& catalog) { run->find(catalog); });
}

}  // namespace longshore
