// Answers that do not end: what happens to a job, and what happens at all.
#include "api/events/routes.h"

#include <charconv>

#include "api/api.h"
#include "api/events/event_hub.h"
#include "api/jobs/job_calls.h"
#include "api/wire/query.h"
#include "api/wire/route_rows.h"
#include "core/sync/mutex.h"
#include "core/text/names.h"

namespace longshore {
namespace {

HttpResponse stream_head() {
  return {.content_type = "text/event-stream",
          .headers = {{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}}};
}

// Tells the hub that a reader has left: once the hub has said whom to tell.
class Departure {
 public:
  void tell(std::function<void()> gone) {
    MutexLock lock(mutex_);
    gone_ = std::move(gone);
  }
  void events() {
    MutexLock lock(mutex_);
    if (gone_) gone_();
  }

 private:
  Mutex mutex_;
  std::function<void()> gone_ LONGSHORE_GUARDED_BY(mutex_);
};

// A stream that ends when its token does. Dropping it says that the call is over.
class TokenStream final : public HttpStream {
 public:
  TokenStream(Api& api, const CallRef& call, std::size_t buffer_bytes,
              std::shared_ptr<Departure> departure, Shares::HoldRef hold)
      : hold_(std::move(hold)),
        stream_(api.stream(call, stream_head(), buffer_bytes)),
        open_(api.open_calls().add(call->caller.token, [weak = std::weak_ptr<HttpStream>(stream_),
                                                        departure = std::move(departure)] {
          if (const auto stream = weak.lock()) stream->end();
          departure->events();
        })) {}

  bool send(std::string bytes) override { return stream_->send(std::move(bytes)); }
  void end() override { stream_->end(); }

 private:
  const Shares::HoldRef hold_;
  const std::shared_ptr<HttpStream> stream_;  // shared with who may end it
  const OpenCalls::RegistrationRef open_;
};

Follower follower_of(Api& api, const CallRef& call, const Shares::HoldRef& hold) {
  const auto departure = std::make_shared<Departure>();
  return {.begin =
              [&api, call, departure, hold](std::size_t buffer_bytes) {
                return std::make_shared<TokenStream>(api, call, buffer_bytes, departure, hold);
              },
          .refuse = [&api, call](const Error& error) { api.answer(call, api.problem_of(error)); },
          .on_gone =
              [call, departure](std::function<void()> gone) {
                departure->tell(gone);
                call->exchange->on_gone(std::move(gone));
              }};
}

Problem no_more_streams() {
  return {.code = Code::overloaded,
          .detail =
              "this node is about to end, or serves as many streams as limits.streams says; "
              "ask another",
          .status = 503,
          .retry_after = 5};
}

// Its part of the streams, and then `follow(follower)`; or the call is answered.
template <class Follow>
void begin_stream(Api& api, const CallRef& call, const Follow& follow) {
  auto held = api.shares().take(call->caller, {{Limit::streams, 1}});
  if (const auto* problem = std::get_if<Problem>(&held)) return api.answer(call, *problem);
  const auto hold = std::get<Shares::HoldRef>(std::move(held));
  if (!follow(follower_of(api, call, hold))) api.answer(call, no_more_streams());
}

std::optional<std::int64_t> sequence_number(std::string_view text) {
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return value < 0 ? std::nullopt : std::optional(value);
}

// A HEAD has no use for events, and an answer to it must end.
bool answered_for_head(Api& api, const CallRef& call) {
  if (call->request().method != "HEAD") return false;
  api.answer(call, stream_head());
  return true;
}

}  // namespace

Resource event_resource() {
  static const std::vector<Route> rows = {
      with_roles(roles::job_readers,
                 get_route("/jobs/{jobId}/events", get_job_events,
                           "The moves of a job as they happen, as Server-Sent Events",
                           "text/event-stream", {"view"})),
      get_route("/events", get_events, "What happens on this node, as Server-Sent Events",
                "text/event-stream", {"jobType", "queue", "view"}),
  };
  return {.routes = rows};
}

void get_job_events(Api& api, CallRef call) {
  const std::optional<JobId> id = job_in_path(api, call);
  if (!id) return;
  Query query(*call);
  const JobView& view = read_view(query);
  if (const auto problem = query.problem()) return api.answer(call, *problem);
  if (answered_for_head(api, call)) return;
  const std::string_view last = call->request().header("Last-Event-ID");
  const std::optional<std::int64_t> after = last.empty() ? 0 : sequence_number(last);
  if (!after) {
    return api.answer(call, invalid_field("Last-Event-ID", "must be the id of an event"));
  }
  const JobStory story{.ns = call->caller.ns, .job = *id, .after = *after, .view = &view};
  begin_stream(api, call,
               [&](Follower follower) { return api.events().follow(story, std::move(follower)); });
}

void get_events(Api& api, CallRef call) {
  Query query(*call);
  LiveView view{.ns = call->caller.ns};
  view.type = query.text("jobType", any_job_type_fault);
  view.queue = query.text("queue", queue_fault);
  view.view = &read_view(query);
  view.last_id = call->request().header("Last-Event-ID");
  if (const auto problem = query.problem()) return api.answer(call, *problem);
  if (answered_for_head(api, call)) return;
  begin_stream(api, call,
               [&](Follower follower) { return api.events().follow(view, std::move(follower)); });
}

}  // namespace longshore
