#include "worker/heartbeater.h"

#include <algorithm>
#include <utility>

namespace longshore {
namespace {

constexpr Duration report_every = Duration::seconds(1);
constexpr Duration try_again_after = Duration::seconds(1);
constexpr Duration info_every = Duration::seconds(10);

Duration tenth_of(Duration interval) { return Duration::millis(interval.count() / 10); }

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
    wake_.request_stop();
  }
}

void Heartbeater::add(const AttemptRef& attempt) {
  MutexLock lock(mutex_);
  const Instant now = leases_.now();
  const Instant due = std::min(now + attempt->heartbeat_interval, attempt->deadline);
  entries_[attempt.get()] = {
      .attempt = attempt, .due = due, .last_sent = now, .expires = attempt->expires};
  wake_by(due);
}

void Heartbeater::remove(const Attempt& attempt) {
  MutexLock lock(mutex_);
  entries_.erase(&attempt);
}

void Heartbeater::heartbeat_soon(Attempt& attempt) {
  MutexLock lock(mutex_);
  const auto found = entries_.find(&attempt);
  if (found == entries_.end() || found->second.due == Instant::never()) return;
  Entry& entry = found->second;
  entry.due = std::min(entry.due, entry.last_sent + report_every);
  wake_by(entry.due);
}

void Heartbeater::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::vector<AttemptRef> stuck;
    Instant next;
    std::stop_token wake;
    const Instant now = leases_.now();
    const std::vector<AttemptRef> due = take_due(now, next, stuck);
    for (const AttemptRef& attempt : stuck) options_.on_stuck(attempt);
    if (!due.empty() || next <= now) {
      beat(due);
      continue;
    }
    {
      MutexLock lock(mutex_);
      wake = wake_.get_token();
    }
    leases_.wait_until(next, wake);
  }
}

// The attempts whose heartbeat is due. `next` is when to check again; it is `now` if the worker's
// info is due.
std::vector<AttemptRef> Heartbeater::take_due(Instant now, Instant& next,
                                              std::vector<AttemptRef>& stuck) {
  MutexLock lock(mutex_);
  std::vector<AttemptRef> due;
  next = info_due_;
  const bool any_due =
      std::ranges::any_of(entries_, [now](const auto& entry) { return now >= entry.second.due; });
  for (auto& [key, entry] : entries_) {
    // Send heartbeats that are nearly due as well: attempts then share one commit.
    const Duration early = any_due ? tenth_of(entry.attempt->heartbeat_interval) : Duration();
    if (now >= entry.attempt->deadline) {
      entry.attempt->lose(StopReason::timed_out);
      must_stop(entry, now);
    } else if (now + early >= entry.due) {
      due.push_back(entry.attempt);
    }
    if (now >= entry.stuck_at) {
      stuck.push_back(entry.attempt);
      entry.stuck_at = Instant::never();
    }
    next = std::min({next, entry.due, entry.stuck_at,
                     entry.due == Instant::never() ? Instant::never() : entry.attempt->deadline});
  }
  for (const AttemptRef& attempt : stuck) entries_.erase(attempt.get());
  // From here on, an earlier due time cancels the wait before it begins.
  sleeping_until_ = next;
  if (!stopped_) wake_ = std::stop_source();
  return due;
}

void Heartbeater::beat(const std::vector<AttemptRef>& due) {
  Turn turn;
  std::vector<Heartbeat> beats;
  for (const AttemptRef& attempt : due) {
    beats.push_back(attempt->next_heartbeat());
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
      on_failed(due[i], beats[i]);
    } else if (const auto* acknowledged = std::get_if<Beaten>(verdict)) {
      on_acknowledged(due[i], {.sent = now, .lasts = acknowledged->lease_expires_at - turned->at},
                      *acknowledged);
    } else {
      on_refused(due[i], std::get<Refusal>(*verdict));
    }
  }
}

// Measured from the time of sending, so that neither a slow reply nor this thread delays the next
// one.
void Heartbeater::on_acknowledged(const AttemptRef& attempt, const Acknowledgement& times,
                                  const Beaten& reply) {
  if (reply.cancel_requested) attempt->ask_to_stop(StopReason::canceled);
  MutexLock lock(mutex_);
  const auto found = entries_.find(attempt.get());
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  entry.last_sent = times.sent;
  entry.due = times.sent + attempt->heartbeat_interval;
  entry.expires = times.sent + times.lasts;
}

// Either the lease is lost, or the handler has settled in the meantime and is no longer listed.
void Heartbeater::on_refused(const AttemptRef& attempt, const Refusal& refusal) {
  MutexLock lock(mutex_);
  const auto found = entries_.find(attempt.get());
  if (found == entries_.end()) return;
  if (!means_lease_lost(refusal.code)) {
    found->second.due = leases_.now() + attempt->heartbeat_interval;
    return;
  }
  attempt->lose(StopReason::lease_lost);
  must_stop(found->second, leases_.now());
}

void Heartbeater::on_failed(const AttemptRef& attempt, const Heartbeat& lost) {
  attempt->restore(lost);
  MutexLock lock(mutex_);
  const auto found = entries_.find(attempt.get());
  if (found == entries_.end()) return;
  const Instant now = leases_.now();
  Entry& entry = found->second;
  entry.due = now + std::min(attempt->heartbeat_interval, try_again_after);
  if (now < entry.expires) return;
  attempt->lose(StopReason::lease_lost);
  must_stop(entry, now);
}

// ---- With the lock held -----------------------------------------------------------------------

void Heartbeater::must_stop(Entry& entry, Instant now) {
  mutex_.assert_held();
  if (entry.due == Instant::never()) return;
  entry.due = Instant::never();
  entry.stuck_at = now + options_.patience;
}

void Heartbeater::wake_by(Instant at) {
  mutex_.assert_held();
  if (at < sleeping_until_) wake_.request_stop();
}

}  // namespace longshore
