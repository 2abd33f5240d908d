#include "api/events/event_hub.h"

#include <algorithm>
#include <utility>

#include "api/events/sse.h"
#include "api/wire/json_out.h"

namespace longshore {
namespace {

// Long output is sent in pieces, so that a reader that keeps up drains its buffer meanwhile.
constexpr std::size_t piece_bytes = 32 * 1024;

constexpr std::string_view reset_data = "{}";

bool matches(const LiveSubscription& view, const JobEvent& one) {
  return view.ns == one.ns && (!view.type || *view.type == one.type) &&
         (!view.queue || *view.queue == one.queue);
}

// Empty for a transition that the view does not show.
std::string event_text(const JobView& view, const JobRecord& record, const Transition& move) {
  const Transition* const next = &move == &record.history.back() ? nullptr : &move + 1;
  const std::optional<ShownMove> shown = shown_move(view, move, next);
  if (!shown) return {};
  const Job& job = record.job;
  const JobEvent events{
      .ns = job.ns, .job = job.id, .type = job.type, .queue = job.queue, .transition = move};
  return sse_event("transition", std::to_string(move.seq),
                   transition_json(events, *shown, error_of(record, move)));
}

// The same for a live event; `next` is the event after it, null if there is none.
std::string live_text(const JobView& view, const JobEvent& one, const JobEvent* next,
                      const std::string& id) {
  const bool same_job = next != nullptr && next->ns == one.ns && next->job == one.job;
  const auto shown = shown_move(view, one.transition, same_job ? &next->transition : nullptr);
  if (!shown) return {};
  std::optional<JobError> error;
  if (is_failure(one.transition)) {
    error = JobError{.code = one.transition.detail, .message = one.message};
  }
  return sse_event("transition", id, transition_json(one, *shown, error));
}

std::string changed_text(std::string_view queue) {
  JsonOut out;
  out.open('{');
  out.member("queue", queue);
  out.close('}');
  return sse_event("changed", "", out.take());
}

}  // namespace

EventHub::EventHub(Catalog& catalog, Timekeeper& time, NodeId node, const EventHubLimits& limits)
    : catalog_(catalog),
      time_(time),
      name_(to_hex(node)),
      limits_(limits),
      alarm_(time),
      next_tick_(time.now()),
      thread_([this] { serve_until_stopped(); }) {}

EventHub::~EventHub() { stop(); }

void EventHub::stop() {
  MutexLock lock(stopping_);
  stopped_ = true;
  alarm_.wake_forever();
  if (thread_.joinable()) thread_.join();
}

bool EventHub::admit() {
  if (stopped_) return false;
  if (readers_.fetch_add(1) < limits_.readers_max) return true;
  readers_ -= 1;
  return false;
}

bool EventHub::subscribe(JobSubscription subscription, Subscriber subscriber) {
  if (!admit()) return false;
  {
    MutexLock lock(mutex_);
    // Watched from now on, so that no transition is missed after the first read.
    watched_[subscription.job] += 1;
    inbox_.job_subscriptions.push_back({std::move(subscription), std::move(subscriber)});
  }
  alarm_.wake();
  return true;
}

bool EventHub::subscribe(LiveSubscription view, Subscriber subscriber) {
  if (!admit()) return false;
  {
    MutexLock lock(mutex_);
    inbox_.views.push_back({std::move(view), std::move(subscriber)});
  }
  alarm_.wake();
  return true;
}

void EventHub::on_commit(const Committed& committed) {
  if (readers_ == 0 || committed.events.empty()) return;
  bool worth_telling = false;
  {
    MutexLock lock(mutex_);
    const bool live = live_reader_count_ > 0;
    for (const JobEvent& one : committed.events) {
      if (watched_.contains(one.job)) {
        inbox_.moved.insert(one.job);
        worth_telling = true;
      }
      if (!live) continue;
      worth_telling = true;
      if (inbox_.events.size() < limits_.events_waiting) {
        inbox_.events.push_back(one);
      } else {
        inbox_.lost = true;
      }
    }
  }
  if (worth_telling) alarm_.wake();
}

void EventHub::hint(const std::vector<std::string>& queues) {
  if (live_reader_count_ == 0) return;
  MutexLock lock(mutex_);
  if (inbox_.changed.size() < limits_.events_waiting) {
    inbox_.changed.insert(queues.begin(), queues.end());
  }
}

EventHub::Inbox EventHub::take_inbox() {
  MutexLock lock(mutex_);
  return std::exchange(inbox_, {});
}

void EventHub::serve_until_stopped() {
  while (!stopped_) {
    remove_gone_readers();
    serve(take_inbox());
    const Instant now = time_.now();
    if (now >= next_tick_) {
      tick();
      next_tick_ = now + limits_.look_every;
    }
    alarm_.wait_until(job_readers_.empty() && live_readers_.empty() ? Instant::never()
                                                                    : next_tick_);
  }
  Inbox late = take_inbox();
  const Error stopping{Errc::unavailable, "This node is stopping; use another"};
  for (PendingReader<JobSubscription>& pending : late.job_subscriptions)
    pending.subscriber.refuse(stopping);
  for (PendingReader<LiveSubscription>& pending : late.views) pending.subscriber.refuse(stopping);
  for (auto& [id, reader] : job_readers_) reader.stream->end();
  for (auto& [id, reader] : live_readers_) reader.stream->end();
}

void EventHub::serve(Inbox inbox) {
  for (PendingReader<JobSubscription>& pending : inbox.job_subscriptions) begin(std::move(pending));
  if (inbox.lost) {
    for (auto& [id, reader] : live_readers_) {
      if (!reader.stalled) reader.stalled = time_.now();
    }
  }
  send_events(inbox.events);
  for (PendingReader<LiveSubscription>& pending : inbox.views) begin(std::move(pending));
  changed_.merge(inbox.changed);
  if (inbox.moved.empty()) return;
  std::vector<ReaderId> moved;
  for (const auto& [id, reader] : job_readers_) {
    if (inbox.moved.contains(reader.subscription.job)) moved.push_back(id);
  }
  for (const ReaderId id : moved) send_new_transitions(id, job_readers_.at(id));
}

EventHub::ReaderId EventHub::start_reader(Reader& reader, const Subscriber& subscriber) {
  const ReaderId id = next_reader_++;
  reader.stream = subscriber.begin(limits_.buffer_bytes);
  reader.sent = time_.now();
  subscriber.on_gone([gone_readers = gone_readers_, id] {
    MutexLock lock(gone_readers->mutex);
    gone_readers->gone.push_back(id);
  });
  return id;
}

void EventHub::begin(PendingReader<JobSubscription> pending) {
  const Result<Job> job = catalog_.glance(pending.subscription.ns, pending.subscription.job);
  if (!job) {
    pending.subscriber.refuse(job.error());
    MutexLock lock(mutex_);
    if (--watched_[pending.subscription.job] == 0) watched_.erase(pending.subscription.job);
    readers_ -= 1;
    return;
  }
  JobReader reader;
  reader.subscription = std::move(pending.subscription);
  const ReaderId id = start_reader(reader, pending.subscriber);
  send_new_transitions(id, job_readers_.emplace(id, std::move(reader)).first->second);
}

// A reader that reconnects has missed events, unless there were none.
void EventHub::begin(PendingReader<LiveSubscription> pending) {
  LiveReader reader;
  reader.view = std::move(pending.subscription);
  live_reader_count_ += 1;  // before the client has the headers, so that it misses no event
  const ReaderId id = start_reader(reader, pending.subscriber);
  const std::string here = name_ + "-" + std::to_string(live_events_);
  const bool missed = !reader.view.last_id.empty() && reader.view.last_id != here;
  send(reader, missed ? sse_event("reset", here, reset_data) : ": connected\n\n");
  live_readers_.emplace(id, std::move(reader));
}

void EventHub::remove_reader(ReaderId id) {
  if (const auto subscription = job_readers_.find(id); subscription != job_readers_.end()) {
    subscription->second.stream->end();
    MutexLock lock(mutex_);
    const auto watched = watched_.find(subscription->second.subscription.job);
    if (watched != watched_.end() && --watched->second == 0) watched_.erase(watched);
    job_readers_.erase(subscription);
    readers_ -= 1;
  } else if (const auto view = live_readers_.find(id); view != live_readers_.end()) {
    view->second.stream->end();
    live_readers_.erase(view);
    live_reader_count_ -= 1;
    readers_ -= 1;
  }
}

void EventHub::remove_gone_readers() {
  std::vector<ReaderId> gone;
  {
    MutexLock lock(gone_readers_->mutex);
    gone.swap(gone_readers_->gone);
  }
  for (const ReaderId id : gone) remove_reader(id);
}

bool EventHub::send(Reader& reader, std::string text) {
  const bool taken = reader.stream->send(std::move(text));
  if (taken) {
    reader.sent = time_.now();
    reader.stalled.reset();
  } else if (!reader.stalled) {
    reader.stalled = time_.now();
  }
  return taken;
}

void EventHub::send_events(const std::vector<JobEvent>& events) {
  if (events.empty()) return;
  std::map<ReaderId, std::string> texts;
  for (const JobEvent& one : events) {
    live_events_ += 1;
    const JobEvent* const next = &one == &events.back() ? nullptr : &one + 1;
    std::map<const JobView*, std::string> by_view;  // written once for all readers of a view
    for (auto& [id, reader] : live_readers_) {
      if (reader.stalled || !matches(reader.view, one)) continue;
      const auto [text, is_new] = by_view.try_emplace(reader.view.view);
      if (is_new) {
        text->second =
            live_text(*text->first, one, next, name_ + "-" + std::to_string(live_events_));
      }
      std::string& waiting = texts[id];
      waiting += text->second;
      if (waiting.size() >= piece_bytes) send(reader, std::exchange(waiting, {}));
    }
  }
  for (auto& [id, text] : texts) {
    LiveReader& reader = live_readers_.at(id);
    if (!text.empty() && !reader.stalled) send(reader, std::move(text));
  }
}

void EventHub::send_changed_queues() {
  for (const std::string& place : std::exchange(changed_, {})) {
    const std::size_t slash = place.find('/');
    if (slash == std::string::npos) continue;
    const std::string_view ns = std::string_view(place).substr(0, slash);
    const std::string_view queue = std::string_view(place).substr(slash + 1);
    for (auto& [id, reader] : live_readers_) {
      const LiveSubscription& view = reader.view;
      if (reader.stalled || view.ns != ns || (view.queue && *view.queue != queue)) continue;
      send(reader, changed_text(queue));
    }
  }
}

// Sends the transitions that the reader has not had. Those it does not take are read again later.
void EventHub::send_new_transitions(ReaderId id, JobReader& reader) {
  const Result<JobRecord> record = catalog_.get(reader.subscription.ns, reader.subscription.job);
  reader.version = -1;
  if (!record) {
    if (record.error().code == Errc::not_found) remove_reader(id);
    return;
  }
  std::string text;
  std::int64_t last = reader.subscription.after;
  for (const Transition& move : record->history) {
    if (move.seq <= reader.subscription.after) continue;
    text += event_text(*reader.subscription.view, *record, move);
    last = move.seq;
    if (text.size() < piece_bytes) continue;
    if (!send(reader, std::exchange(text, {}))) return;
    reader.subscription.after = last;
  }
  if (!text.empty() && !send(reader, std::move(text))) return;
  reader.subscription.after = last;
  reader.version = record->job.version;
  if (is_terminal(record->job.state)) remove_reader(id);
}

void EventHub::check_versions() {
  std::map<std::string, std::vector<ReaderId>> by_namespace;
  for (const auto& [id, reader] : job_readers_) by_namespace[reader.subscription.ns].push_back(id);
  for (const auto& [ns, ids] : by_namespace) {
    std::vector<JobId> jobs;
    for (const ReaderId id : ids) jobs.push_back(job_readers_.at(id).subscription.job);
    const Result<std::vector<std::int64_t>> versions = catalog_.versions(ns, jobs);
    if (!versions) continue;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      JobReader& reader = job_readers_.at(ids[i]);
      if ((*versions)[i] != reader.version) send_new_transitions(ids[i], reader);
    }
  }
}

void EventHub::check_reader(Reader& reader, std::vector<ReaderId>& expired, ReaderId id) {
  if (reader.stalled && *reader.stalled + limits_.stall_timeout <= time_.now()) {
    expired.push_back(id);
  } else if (!reader.stalled && reader.sent + limits_.keep_alive <= time_.now()) {
    send(reader, std::string(sse_keep_alive));
  }
}

void EventHub::tick() {
  check_versions();
  send_changed_queues();
  std::vector<ReaderId> expired;
  for (auto& [id, reader] : job_readers_) check_reader(reader, expired, id);
  for (auto& [id, reader] : live_readers_) {
    if (reader.stalled) {
      const std::string here = name_ + "-" + std::to_string(live_events_);
      const Instant since = *reader.stalled;
      if (!send(reader, sse_event("reset", here, reset_data))) reader.stalled = since;
    }
    check_reader(reader, expired, id);
  }
  for (const ReaderId id : expired) remove_reader(id);
}

}  // namespace longshore
