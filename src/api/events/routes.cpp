// Event streams, of one job and of all.
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

// Tells the hub that a reader is gone, once the hub has set its callback.
class GoneSignal {
 public:
  void set(std::function<void()> gone) {
    MutexLock lock(mutex_);
    gone_ = std::move(gone);
  }
  void notify() {
    MutexLock lock(mutex_);
    if (gone_) gone_();
  }

 private:
  Mutex mutex_;
  std::function<void()> gone_ LONGSHORE_GUARDED_BY(mutex_);
};

// A stream that ends when its token is revoked or expires. Destroying it ends the call.
class TokenStream final : public HttpStream {
 public:
  TokenStream(Api& api, const CallRef& call, std::size_t buffer_bytes,
              std::shared_ptr<GoneSignal> gone_signal, Shares::HoldRef hold)
      : hold_(std::move(hold)),
        stream_(api.stream(call, stream_head(), buffer_bytes)),
        open_(api.open_calls().add(call->caller.token, [weak = std::weak_ptr<HttpStream>(stream_),
                                                        gone_signal = std::move(gone_signal)] {
          if (const auto stream = weak.lock()) stream->end();
          gone_signal->notify();
        })) {}

  bool send(std::string bytes) override { return stream_->send(std::move(bytes)); }
  void end() override { stream_->end(); }

 private:
  const Shares::HoldRef hold_;
  const std::shared_ptr<HttpStream> stream_;  // shared with open_
  const OpenCalls::RegistrationRef open_;
};

Subscriber subscriber_of(Api& api, const CallRef& call, const Shares::HoldRef& hold) {
  const auto gone_signal = std::make_shared<GoneSignal>();
  return {.begin =
              [&api, call, gone_signal, hold](std::size_t buffer_bytes) {
                return std::make_shared<TokenStream>(api, call, buffer_bytes, gone_signal, hold);
              },
          .refuse = [&api, call](const Error& error) { api.answer(call, api.problem_of(error)); },
          .on_gone =
              [call, gone_signal](std::function<void()> gone) {
                gone_signal->set(gone);
                call->exchange->on_gone(std::move(gone));
              }};
}

Problem no_more_streams() {
  return {.code = Code::overloaded,
          .detail = "This node is stopping or has reached limits.streams; use another",
          .status = 503,
          .retry_after = 5};
}

// Takes a share of limits.streams and subscribes; or answers why not.
template <class Subscribe>
void begin_stream(Api& api, const CallRef& call, const Subscribe& subscribe) {
  auto held = api.shares().take(call->caller, {{Limit::streams, 1}});
  if (const auto* problem = std::get_if<Problem>(&held)) return api.answer(call, *problem);
  const auto hold = std::get<Shares::HoldRef>(std::move(held));
  if (!subscribe(subscriber_of(api, call, hold))) api.answer(call, no_more_streams());
}

std::optional<std::int64_t> sequence_number(std::string_view text) {
  std::int64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return value < 0 ? std::nullopt : std::optional(value);
}

// The answer to HEAD must end.
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
                           "Stream the transitions of a job as Server-Sent Events",
                           "text/event-stream", {"view"})),
      get_route("/events", get_events, "Stream the transitions on this node as Server-Sent Events",
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
  const JobSubscription subscription{
      .ns = call->caller.ns, .job = *id, .after = *after, .view = &view};
  begin_stream(api, call, [&](Subscriber subscriber) {
    return api.events().subscribe(subscription, std::move(subscriber));
  });
}

void get_events(Api& api, CallRef call) {
  Query query(*call);
  LiveSubscription view{.ns = call->caller.ns};
  view.type = query.text("jobType", any_job_type_fault);
  view.queue = query.text("queue", queue_fault);
  view.view = &read_view(query);
  view.last_id = call->request().header("Last-Event-ID");
  if (const auto problem = query.problem()) return api.answer(call, *problem);
  if (answered_for_head(api, call)) return;
  begin_stream(api, call, [&](Subscriber subscriber) {
    return api.events().subscribe(view, std::move(subscriber));
  });
}

}  // namespace longshore
