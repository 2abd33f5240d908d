#include "worker/attempt.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/record/stored_json.h"
#include "worker/plain_text.h"

namespace longshore {
namespace {

constexpr Duration beat_min = Duration::millis(100);
// Applies to long leases too: heartbeats also fetch cancellations and carry progress and log lines.
constexpr Duration beat_max = Duration::seconds(5);

Duration interval_for(Duration lease) {
  return std::clamp(Duration::millis(lease.count() / 3), beat_min, beat_max);
}

// Removes whole lines from the front and keeps the newest ones.
void keep_newest(std::string& log) {
  if (log.size() <= log_bytes_kept) return;
  const std::size_t line_end = log.find('\n', log.size() - log_bytes_kept);
  log.erase(0, line_end == std::string::npos ? log.size() - log_bytes_kept : line_end + 1);
}

}  // namespace

Attempt::Attempt(Lease claimed, Instant at, Dependencies dependencies)
    : lease(std::move(claimed)),
      deadline(dependencies.leases.now() + (lease.deadline_at - at)),
      expires(dependencies.leases.now() + (lease.lease_expires_at - at)),
      heartbeat_interval(interval_for(lease.lease_expires_at - at)),
      dependencies_(dependencies),
      checkpoint_(lease.checkpoint) {}

Duration Attempt::time_left() const {
  return std::max(deadline - dependencies_.leases.now(), Duration());
}

StopReason Attempt::stop_reason() const {
  MutexLock lock(mutex_);
  return reason_;
}

bool means_lease_lost(Code code) {
  return code == Code::lease_lost || code == Code::already_settled || code == Code::not_found ||
         code == Code::wrong_state || code == Code::terminal;
}

void Attempt::progress(double percent) {
  if (std::isnan(percent)) return;
  bool first = false;
  {
    MutexLock lock(mutex_);
    progress_ = std::clamp(percent, 0.0, 100.0);
    first = !std::exchange(heartbeat_requested_, true);
  }
  if (first) dependencies_.heartbeats.heartbeat_soon(*this);
}

void Attempt::log(std::string_view line) {
  bool first = false;
  {
    MutexLock lock(mutex_);
    log_ += plain_text(line);
    if (!log_.ends_with('\n')) log_ += '\n';
    keep_newest(log_);
    first = !std::exchange(heartbeat_requested_, true);
  }
  if (first) dependencies_.heartbeats.heartbeat_soon(*this);
}

std::optional<std::string> Attempt::checkpoint() const {
  MutexLock lock(mutex_);
  return checkpoint_;
}

Result<Nothing> Attempt::save_checkpoint(std::string json) {
  if (auto fault = stored_json_fault("checkpoint", json, checkpoint_bytes_max)) return *fault;
  Heartbeat beat = next_heartbeat();
  beat.checkpoint = json;
  Result<std::vector<Verdict>> sent = dependencies_.leases.tell({beat});
  if (!sent) {
    restore(beat);
    return sent.error();
  }
  if (const auto* refusal = std::get_if<Refusal>(&sent->front())) {
    if (means_lease_lost(refusal->code)) lose(StopReason::lease_lost);
    return Error{Errc::refused, "checkpoint refused: " + refusal->detail, refusal->code};
  }
  MutexLock lock(mutex_);
  checkpoint_ = std::move(json);
  return Nothing();
}

Heartbeat Attempt::next_heartbeat() {
  MutexLock lock(mutex_);
  heartbeat_requested_ = false;
  return {.job = lease.job,
          .token = lease.token,
          .progress = std::exchange(progress_, std::nullopt),
          .log = std::exchange(log_, std::string())};
}

void Attempt::restore(const Heartbeat& beat) {
  MutexLock lock(mutex_);
  if (!progress_) progress_ = beat.progress;
  log_.insert(0, beat.log);
  keep_newest(log_);
}

void Attempt::ask_to_stop(StopReason reason) {
  {
    MutexLock lock(mutex_);
    if (reason_ == StopReason::none) reason_ = reason;
  }
  stop_.request_stop();
}

bool Attempt::lose(StopReason reason) {
  {
    MutexLock lock(mutex_);
    if (hold_ != Hold::held) return false;
    hold_ = Hold::lost;
    // Losing the lease overrides an earlier cancellation request.
    reason_ = reason;
  }
  stop_.request_stop();
  return true;
}

bool Attempt::finish() {
  MutexLock lock(mutex_);
  if (hold_ == Hold::lost) return false;
  hold_ = Hold::finished;
  return true;
}

std::string Attempt::take_log() {
  MutexLock lock(mutex_);
  return std::exchange(log_, std::string());
}

}  // namespace longshore
