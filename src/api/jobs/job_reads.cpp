// Reading one job: at once, or when it ends.
#include <atomic>
#include <memory>
#include <utility>

#include "api/api.h"
#include "api/jobs/job_answers.h"
#include "api/jobs/job_calls.h"
#include "api/jobs/routes.h"
#include "api/wire/wait_options.h"
#include "core/text/names.h"

namespace longshore {
namespace {

// Writes the answer when the wait is over.
using Reply = void (*)(Api& api, const CallRef& call, Catalog& catalog, const Job& job);

// One call that reads a job, and reads it again when woken. Shared by everything that may wake it.
class JobPoll : public std::enable_shared_from_this<JobPoll> {
 public:
  JobPoll(Api& api, CallRef call, const JobId& id, const WaitOptions& options, Reply reply)
      : api_(api),
        call_(std::move(call)),
        id_(id),
        options_(options),
        until_(api.timers().now() + options.wait),
        reply_(reply) {}

  void start() {
    if (options_.wait > Duration()) {
      auto held = api_.shares().take(call_->caller, {{Limit::polls, 1}});
      if (const auto* problem = std::get_if<Problem>(&held)) return api_.answer(call_, *problem);
      hold_ = std::get<Shares::HoldRef>(std::move(held));
      call_->exchange->on_gone([weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->leave();
      });
      open_ = api_.open_calls().add(call_->caller.token, [weak = weak_from_this()] {
        if (const auto self = weak.lock()) self->lose_token();
      });
    }
    look_soon();
  }

  // On a thread that may block.
  void look(Catalog& catalog) {
    bool watching = false;
    while (!over_) {
      const Result<Job> job = catalog.glance(call_->caller.ns, id_);
      if (!job) return finish([&] { api_.answer(call_, problem(job.error())); });
      if (is_terminal(job->state) || is_wait_over()) {
        return finish([&] { reply_(api_, call_, catalog, *job); });
      }
      if (watching) return;
      // Read once more: the job may have ended between the read and the watch.
      watch(job->version);
      watching = true;
    }
    stop_watching();
  }

 private:
  bool is_wait_over() { return api_.timers().now() >= until_ || api_.draining(); }

  void look_soon() {
    ReadPool::Read read = [self = shared_from_this()](Catalog& catalog) { self->look(catalog); };
    if (api_.read_pool().push(ReadKind::point, read, call_->caller.ns)) return;
    finish([&] {
      api_.answer(call_, api_.problem_of({Errc::overloaded, "Too many reads are waiting; retry"}));
    });
  }

  void watch(std::int64_t version) {
    ticket_ = api_.waits().add(call_->caller.ns, id_, version, until_,
                               [self = shared_from_this()] { self->look_soon(); });
  }
  void stop_watching() { api_.waits().remove(ticket_.exchange(0)); }

  void leave() {
    over_ = true;
    stop_watching();
  }

  void lose_token() {
    finish([&] { api_.answer(call_, token_is_gone()); });
  }

  template <class Answer>
  void finish(const Answer& answer) {
    if (over_.exchange(true)) return;
    stop_watching();
    answer();
  }

  Problem problem(const Error& error) const {
    return error.code == Errc::not_found ? no_such_job() : api_.problem_of(error);
  }

  // Constant after construction.
  Api& api_;
  const CallRef call_;
  const JobId id_;
  const WaitOptions options_;
  const Instant until_;
  const Reply reply_;

  // Constant once started.
  OpenCalls::RegistrationRef open_;
  Shares::HoldRef hold_;

  std::atomic<Waits::Ticket> ticket_ = 0;
  std::atomic<bool> over_ = false;
};

HttpResponse with_preference(HttpResponse response, const Call& call) {
  if (const auto applied = applied_preference(call)) {
    response.headers.push_back({"Preference-Applied", *applied});
  }
  return response;
}

void reply_with_job(Api& api, const CallRef& call, Catalog&, const Job& job) {
  const std::string etag = etag_of(job);
  HttpResponse response{.headers = {{"ETag", etag}}};
  if (is_unchanged(call->request(), etag)) {
    response.status = 304;
    response.content_type.clear();
  } else {
    response.body = public_job_json(job);
  }
  api.answer(call, with_preference(std::move(response), *call));
}

Problem ended_badly(const JobRecord& record) {
  const bool canceled = status_of(record.job) == Status::canceled;
  return {.code = canceled ? Code::job_canceled : Code::job_failed,
          .detail = canceled ? "The job was canceled and has no result"
                             : "The job failed and has no result",
          .members = "\"jobId\":\"" + to_text(record.job.id) +
                     "\",\"error\":" + short_error_json(record.error.value_or(JobError()))};
}

void reply_with_result(Api& api, const CallRef& call, Catalog& catalog, const Job& job) {
  if (!is_terminal(job.state)) {
    HttpResponse unfinished{.status = 202, .body = status_json(job.id, status_of(job))};
    return api.answer(call, with_preference(std::move(unfinished), *call));
  }
  Result<JobRecord> record = catalog.get(call->caller.ns, job.id);
  if (!record && record.error().code == Errc::not_found) return api.answer(call, no_such_job());
  if (!record) return api.answer(call, api.problem_of(record.error()));
  if (record->job.state != State::success) return api.answer(call, ended_badly(*record));
  HttpResponse response{
      .headers = {{"ETag", etag_of(record->job)}, {"X-Content-Type-Options", "nosniff"}},
      .body = std::move(record->result).value_or("null")};
  if (is_unchanged(call->request(), etag_of(record->job))) {
    response.status = 304;
    response.content_type.clear();
    response.body.clear();
  }
  api.answer(call, with_preference(std::move(response), *call));
}

void poll_job(Api& api, const CallRef& call, Reply reply) {
  const std::optional<JobId> id = parse_job_id(call->parameters[0]);
  if (!id) return api.answer(call, no_such_job());
  const auto options = read_wait_options(*call);
  if (const auto* problem = std::get_if<Problem>(&options)) return api.answer(call, *problem);
  std::make_shared<JobPoll>(api, call, *id, std::get<WaitOptions>(options), reply)->start();
}

}  // namespace

void get_job(Api& api, CallRef call) { poll_job(api, call, reply_with_job); }
void get_result(Api& api, CallRef call) { poll_job(api, call, reply_with_result); }

void get_job_by_key(Api& api, CallRef call) {
  const auto options = read_wait_options(*call);
  if (const auto* problem = std::get_if<Problem>(&options)) return api.answer(call, *problem);
  // Names that no job can have are not looked up: not every database accepts them.
  if (queue_fault(call->parameters[0]) || key_fault(call->parameters[1])) {
    return api.answer(call, no_job_of_key());
  }
  const WaitOptions waits = std::get<WaitOptions>(options);
  api.read(call, ReadKind::point, [&api, call, waits](Catalog& catalog) {
    const Result<Job> job =
        catalog.find_by_key(call->caller.ns, call->parameters[0], call->parameters[1]);
    if (!job && job.error().code == Errc::not_found) return api.answer(call, no_job_of_key());
    if (!job) return api.answer(call, api.problem_of(job.error()));
    if (is_terminal(job->state) || waits.wait == Duration()) {
      return reply_with_job(api, call, catalog, *job);
    }
    std::make_shared<JobPoll>(api, call, job->id, waits, reply_with_job)->start();
  });
}

}  // namespace longshore
