#include "worker/heartbeater.h"

#include <algorithm>
#include <utility>

namespace longshore {
namespace {

constexpr Duration report_every = Duration::seconds(1);
constexpr Duration try_again_after = Duration::seconds(1);
constexpr Duration info_every = Duration::seconds(10);

Duration a_little_of(Duration interval) { return Duration::millis(interval.count() / 10); }

}  // namespace

Heartbeater::Heartbeater(Leases& leases, HeartbeaterOptions options)
    : leases_(leases), options_(std::move(options)) {}

Heartbeater::~Heartbeater() { stop(); }

void Heartbeater::start() {
  MutexLock lock(mutex_);
  if (stopped_ || thread_.joinable()) return;
  thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
}

void Heartbeater::stop() {
  std::jthread thread;
  {
    MutexLock lock(mutex_);
    stopped_ = true;
    thread = std::move(thread_);
    thread.request_stop();
    nap_.request_stop();
  }
}

void Heartbeater::add(const AttemptRef& attempt) {
  MutexLock lock(mutex_);
  const Instant now = leases_.now();
  const Instant due = std::min(now + attempt->beat_every, attempt->deadline);
  lines_[attempt.get()] = {
      .attempt = attempt, .due = due, .beaten = now, .expires = attempt->expires};
  wake_by(due);
}

void Heartbeater::remove(const Attempt& attempt) {
  MutexLock lock(mutex_);
  lines_.erase(&attempt);
}

void Heartbeater::hurry(Attempt& attempt) {
  MutexLock lock(mutex_);
  const auto found = lines_.find(&attempt);
  if (found == lines_.end() || found->second.due == Instant::never()) return;
  Line& line = found->second;
  line.due = std::min(line.due, line.beaten + report_every);
  wake_by(line.due);
}

void Heartbeater::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::vector<AttemptRef> stuck;
    Instant next;
    std::stop_token nap;
    const Instant now = leases_.now();
    const std::vector<AttemptRef> due = take_due(now, next, stuck);
    for (const AttemptRef& attempt : stuck) options_.on_stuck(attempt);
    if (!due.empty() || next <= now) {
      beat(due);
      continue;
    }
    {
      MutexLock lock(mutex_);
      nap = nap_.get_token();
    }
    leases_.wait_until(next, nap);
  }
}

// Those to beat for now. `next` is when to look again, and now itself if the worker is to be
// introduced.
std::vector<AttemptRef> Heartbeater::take_due(Instant now, Instant& next,
                                              std::vector<AttemptRef>& stuck) {
  MutexLock lock(mutex_);
  std::vector<AttemptRef> due;
  next = info_due_;
  const bool any_due =
      std::ranges::any_of(lines_, [now](const auto& entry) { return now >= entry.second.due; });
  for (auto& [key, line] : lines_) {
    // Those that are nearly due go with the others: attempts fall into step and share a commit.
    const Duration early = any_due ? a_little_of(line.attempt->beat_every) : Duration();
    if (now >= line.attempt->deadline) {
      line.attempt->lose(StopReason::timed_out);
      must_stop(line, now);
    } else if (now + early >= line.due) {
      due.push_back(line.attempt);
    }
    if (now >= line.stuck_at) {
      stuck.push_back(line.attempt);
      line.stuck_at = Instant::never();
    }
    next = std::min({next, line.due, line.stuck_at,
                     line.due == Instant::never() ? Instant::never() : line.attempt->deadline});
  }
  for (const AttemptRef& attempt : stuck) lines_.erase(attempt.get());
  // Whoever comes with something earlier from here on ends the nap before it begins.
  sleeping_until_ = next;
  if (!stopped_) nap_ = std::stop_source();
  return due;
}

void Heartbeater::beat(const std::vector<AttemptRef>& due) {
  Turn turn;
  std::vector<Heartbeat> beats;
  for (const AttemptRef& attempt : due) {
    beats.push_back(attempt->next_beat());
    turn.words.emplace_back(beats.back());
  }
  const Instant now = leases_.now();
  {
    MutexLock lock(mutex_);
    if (now >= info_due_) {
      turn.words.emplace_back(SeeWorkers{.workers = {options_.info}});
      info_due_ = now + info_every;
    }
  }
  Result<Turned> turned = leases_.turn(std::move(turn), {});
  if (!turned && options_.on_trouble) options_.on_trouble(turned.error());
  for (std::size_t i = 0; i < due.size(); ++i) {
    const Verdict* verdict = turned ? &turned->verdicts[i] : nullptr;
    if (verdict == nullptr) {
      failed(due[i], beats[i]);
    } else if (const auto* said = std::get_if<Beaten>(verdict)) {
      beaten(due[i], {.sent = now, .lasts = said->lease_expires_at - turned->at}, *said);
    } else {
      refused(due[i], std::get<Refusal>(*verdict));
    }
  }
}

// Counted from the sending, so that neither a slow answer nor this thread's sloth delays the next.
void Heartbeater::beaten(const AttemptRef& attempt, const Heard& heard, const Beaten& beaten) {
  if (beaten.cancel_requested) attempt->ask_to_stop(StopReason::canceled);
  MutexLock lock(mutex_);
  const auto found = lines_.find(attempt.get());
  if (found == lines_.end()) return;
  Line& line = found->second;
  line.beaten = heard.sent;
  line.due = heard.sent + attempt->beat_every;
  line.expires = heard.sent + heard.lasts;
}

// Either the lease is lost, or the handler has settled meanwhile and is not listed any more.
void Heartbeater::refused(const AttemptRef& attempt, const Refusal& refusal) {
  MutexLock lock(mutex_);
  const auto found = lines_.find(attempt.get());
  if (found == lines_.end()) return;
  if (!means_lost(refusal.code)) {
    found->second.due = leases_.now() + attempt->beat_every;
    return;
  }
  attempt->lose(StopReason::lease_lost);
  must_stop(found->second, leases_.now());
}

void Heartbeater::failed(const AttemptRef& attempt, const Heartbeat& lost) {
  attempt->take_back(lost);
  MutexLock lock(mutex_);
  const auto found = lines_.find(attempt.get());
  if (found == lines_.end()) return;
  const Instant now = leases_.now();
  Line& line = found->second;
  line.due = now + std::min(attempt->beat_every, try_again_after);
  if (now < line.expires) return;
  attempt->lose(StopReason::lease_lost);
  must_stop(line, now);
}

// ---- With the lock held -----------------------------------------------------------------------

void Heartbeater::must_stop(Line& line, Instant now) {
  mutex_.assert_held();
  if (line.due == Instant::never()) return;
  line.due = Instant::never();
  line.stuck_at = now + options_.patience;
}

void Heartbeater::wake_by(Instant at) {
  mutex_.assert_held();
  if (at < sleeping_until_) nap_.request_stop();
}

}  // namespace longshore
