#include "api/event_hub.h"

#include <algorithm>
#include <utility>

#include "api/json_out.h"
#include "api/sse.h"

namespace longshore {
namespace {

// What is long is sent bit by bit, so that a reader who keeps up has taken some of it meanwhile.
constexpr std::size_t piece_bytes = 32 * 1024;

constexpr std::string_view reset_data = "{}";

bool matches(const LiveView& view, const Happened& one) {
  return view.ns == one.ns && (!view.type || *view.type == one.type) &&
         (!view.queue || *view.queue == one.queue);
}

// Empty for a move that the view does not show.
std::string event_text(const JobView& view, const JobRecord& record, const Transition& move) {
  const Transition* const next = &move == &record.history.back() ? nullptr : &move + 1;
  const std::optional<ShownMove> shown = shown_move(view, move, next);
  if (!shown) return {};
  const Job& job = record.job;
  const Happened happened{
      .ns = job.ns, .job = job.id, .type = job.type, .queue = job.queue, .transition = move};
  return sse_event("transition", std::to_string(move.seq),
                   transition_json(happened, *shown, error_of(record, move)));
}

// The same for a live event; `next` is the event after it, null if there is none.
std::string live_text(const JobView& view, const Happened& one, const Happened* next,
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
  alarm_.ring_for_ever();
  if (thread_.joinable()) thread_.join();
}

bool EventHub::admit() {
  if (stopped_) return false;
  if (readers_.fetch_add(1) < limits_.readers_max) return true;
  readers_ -= 1;
  return false;
}

bool EventHub::follow(JobStory story, Follower follower) {
  if (!admit()) return false;
  {
    MutexLock lock(mutex_);
    // Watched from now on, so that no move falls between the first reading and the notes.
    watched_[story.job] += 1;
    mail_.stories.push_back({std::move(story), std::move(follower)});
  }
  alarm_.ring();
  return true;
}

bool EventHub::follow(LiveView view, Follower follower) {
  if (!admit()) return false;
  {
    MutexLock lock(mutex_);
    mail_.views.push_back({std::move(view), std::move(follower)});
  }
  alarm_.ring();
  return true;
}

void EventHub::look_at(const Committed& committed) {
  if (readers_ == 0 || committed.happened.empty()) return;
  bool worth_telling = false;
  {
    MutexLock lock(mutex_);
    const bool live = live_readers_ > 0;
    for (const Happened& one : committed.happened) {
      if (watched_.contains(one.job)) {
        mail_.moved.insert(one.job);
        worth_telling = true;
      }
      if (!live) continue;
      worth_telling = true;
      if (mail_.events.size() < limits_.events_waiting) {
        mail_.events.push_back(one);
      } else {
        mail_.lost = true;
      }
    }
  }
  if (worth_telling) alarm_.ring();
}

void EventHub::hint(const std::vector<std::string>& queues) {
  if (live_readers_ == 0) return;
  MutexLock lock(mutex_);
  if (mail_.changed.size() < limits_.events_waiting) {
    mail_.changed.insert(queues.begin(), queues.end());
  }
}

EventHub::Mail EventHub::take_mail() {
  MutexLock lock(mutex_);
  return std::exchange(mail_, {});
}

void EventHub::serve_until_stopped() {
  while (!stopped_) {
    forget_departed();
    serve(take_mail());
    const Instant now = time_.now();
    if (now >= next_tick_) {
      tick();
      next_tick_ = now + limits_.look_every;
    }
    alarm_.wait_until(stories_.empty() && views_.empty() ? Instant::never() : next_tick_);
  }
  Mail late = take_mail();
  const Error stopping{Errc::unavailable, "this node is stopping"};
  for (Arrival<JobStory>& arrival : late.stories) arrival.follower.refuse(stopping);
  for (Arrival<LiveView>& arrival : late.views) arrival.follower.refuse(stopping);
  for (auto& [id, reader] : stories_) reader.stream->end();
  for (auto& [id, reader] : views_) reader.stream->end();
}

void EventHub::serve(Mail mail) {
  for (Arrival<JobStory>& arrival : mail.stories) begin(std::move(arrival));
  if (mail.lost) {
    for (auto& [id, reader] : views_) {
      if (!reader.stalled) reader.stalled = time_.now();
    }
  }
  tell(mail.events);
  for (Arrival<LiveView>& arrival : mail.views) begin(std::move(arrival));
  changed_.merge(mail.changed);
  if (mail.moved.empty()) return;
  std::vector<ReaderId> moved;
  for (const auto& [id, reader] : stories_) {
    if (mail.moved.contains(reader.story.job)) moved.push_back(id);
  }
  for (const ReaderId id : moved) pump(id, stories_.at(id));
}

EventHub::ReaderId EventHub::welcome(Reader& reader, const Follower& follower) {
  const ReaderId id = next_reader_++;
  reader.stream = follower.begin(limits_.buffer_bytes);
  reader.sent = time_.now();
  follower.on_gone([departures = departures_, id] {
    MutexLock lock(departures->mutex);
    departures->gone.push_back(id);
  });
  return id;
}

void EventHub::begin(Arrival<JobStory> arrival) {
  const Result<Job> job = catalog_.glance(arrival.wish.ns, arrival.wish.job);
  if (!job) {
    arrival.follower.refuse(job.error());
    MutexLock lock(mutex_);
    if (--watched_[arrival.wish.job] == 0) watched_.erase(arrival.wish.job);
    readers_ -= 1;
    return;
  }
  JobReader reader;
  reader.story = std::move(arrival.wish);
  const ReaderId id = welcome(reader, arrival.follower);
  pump(id, stories_.emplace(id, std::move(reader)).first->second);
}

// A reader that comes back has missed what happened meanwhile, unless nothing did.
void EventHub::begin(Arrival<LiveView> arrival) {
  LiveReader reader;
  reader.view = std::move(arrival.wish);
  live_readers_ += 1;  // before the client has the headers, so that it misses no event after them
  const ReaderId id = welcome(reader, arrival.follower);
  const std::string here = name_ + "-" + std::to_string(live_events_);
  const bool missed = !reader.view.last_id.empty() && reader.view.last_id != here;
  send(reader, missed ? sse_event("reset", here, reset_data) : ": connected\n\n");
  views_.emplace(id, std::move(reader));
}

void EventHub::let_go(ReaderId id) {
  if (const auto story = stories_.find(id); story != stories_.end()) {
    story->second.stream->end();
    MutexLock lock(mutex_);
    const auto watched = watched_.find(story->second.story.job);
    if (watched != watched_.end() && --watched->second == 0) watched_.erase(watched);
    stories_.erase(story);
    readers_ -= 1;
  } else if (const auto view = views_.find(id); view != views_.end()) {
    view->second.stream->end();
    views_.erase(view);
    live_readers_ -= 1;
    readers_ -= 1;
  }
}

void EventHub::forget_departed() {
  std::vector<ReaderId> gone;
  {
    MutexLock lock(departures_->mutex);
    gone.swap(departures_->gone);
  }
  for (const ReaderId id : gone) let_go(id);
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

void EventHub::tell(const std::vector<Happened>& events) {
  if (events.empty()) return;
  std::map<ReaderId, std::string> texts;
  for (const Happened& one : events) {
    live_events_ += 1;
    const Happened* const next = &one == &events.back() ? nullptr : &one + 1;
    std::map<const JobView*, std::string> told;  // once for all readers of a view
    for (auto& [id, reader] : views_) {
      if (reader.stalled || !matches(reader.view, one)) continue;
      const auto [text, is_new] = told.try_emplace(reader.view.view);
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
    LiveReader& reader = views_.at(id);
    if (!text.empty() && !reader.stalled) send(reader, std::move(text));
  }
}

void EventHub::tell_changed() {
  for (const std::string& place : std::exchange(changed_, {})) {
    const std::size_t slash = place.find('/');
    if (slash == std::string::npos) continue;
    const std::string_view ns = std::string_view(place).substr(0, slash);
    const std::string_view queue = std::string_view(place).substr(slash + 1);
    for (auto& [id, reader] : views_) {
      const LiveView& view = reader.view;
      if (reader.stalled || view.ns != ns || (view.queue && *view.queue != queue)) continue;
      send(reader, changed_text(queue));
    }
  }
}

// Tells what the reader has not had yet. What it does not take is read again later.
void EventHub::pump(ReaderId id, JobReader& reader) {
  const Result<JobRecord> record = catalog_.get(reader.story.ns, reader.story.job);
  reader.version = -1;
  if (!record) {
    if (record.error().code == Errc::not_found) let_go(id);
    return;
  }
  std::string text;
  std::int64_t last = reader.story.after;
  for (const Transition& move : record->history) {
    if (move.seq <= reader.story.after) continue;
    text += event_text(*reader.story.view, *record, move);
    last = move.seq;
    if (text.size() < piece_bytes) continue;
    if (!send(reader, std::exchange(text, {}))) return;
    reader.story.after = last;
  }
  if (!text.empty() && !send(reader, std::move(text))) return;
  reader.story.after = last;
  reader.version = record->job.version;
  if (is_terminal(record->job.state)) let_go(id);
}

void EventHub::look_at_versions() {
  std::map<std::string, std::vector<ReaderId>> by_namespace;
  for (const auto& [id, reader] : stories_) by_namespace[reader.story.ns].push_back(id);
  for (const auto& [ns, ids] : by_namespace) {
    std::vector<JobId> jobs;
    for (const ReaderId id : ids) jobs.push_back(stories_.at(id).story.job);
    const Result<std::vector<std::int64_t>> versions = catalog_.versions(ns, jobs);
    if (!versions) continue;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      JobReader& reader = stories_.at(ids[i]);
      if ((*versions)[i] != reader.version) pump(ids[i], reader);
    }
  }
}

void EventHub::care_for(Reader& reader, std::vector<ReaderId>& hopeless, ReaderId id) {
  if (reader.stalled && *reader.stalled + limits_.patience <= time_.now()) {
    hopeless.push_back(id);
  } else if (!reader.stalled && reader.sent + limits_.keep_alive <= time_.now()) {
    send(reader, std::string(sse_keep_alive));
  }
}

void EventHub::tick() {
  look_at_versions();
  tell_changed();
  std::vector<ReaderId> hopeless;
  for (auto& [id, reader] : stories_) care_for(reader, hopeless, id);
  for (auto& [id, reader] : views_) {
    if (reader.stalled) {
      const std::string here = name_ + "-" + std::to_string(live_events_);
      const Instant since = *reader.stalled;
      if (!send(reader, sse_event("reset", here, reset_data))) reader.stalled = since;
    }
    care_for(reader, hopeless, id);
  }
  for (const ReaderId id : hopeless) let_go(id);
}

}  // namespace longshore
