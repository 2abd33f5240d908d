#include "worker/attempt.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/record/stored_json.h"
#include "worker/plain_text.h"

namespace longshore {
namespace {

constexpr Duration beat_min = Duration::millis(100);
// However long the lease: heartbeats also bring cancellations, and carry progress and log lines.
constexpr Duration beat_max = Duration::seconds(5);

Duration rhythm_of(Duration lease) {
  return std::clamp(Duration::millis(lease.count() / 3), beat_min, beat_max);
}

// Cuts whole lines off the front, so that the newest stay.
void keep_newest(std::string& log) {
  if (log.size() <= log_bytes_kept) return;
  const std::size_t line_end = log.find('\n', log.size() - log_bytes_kept);
  log.erase(0, line_end == std::string::npos ? log.size() - log_bytes_kept : line_end + 1);
}

}  // namespace

Attempt::Attempt(Lease claimed, Instant at, Surroundings surroundings)
    : lease(std::move(claimed)),
      deadline(surroundings.leases.now() + (lease.deadline_at - at)),
      expires(surroundings.leases.now() + (lease.lease_expires_at - at)),
      beat_every(rhythm_of(lease.lease_expires_at - at)),
      around_(surroundings),
      checkpoint_(lease.checkpoint) {}

Duration Attempt::time_left() const {
  return std::max(deadline - around_.leases.now(), Duration());
}

StopReason Attempt::stop_reason() const {
  MutexLock lock(mutex_);
  return reason_;
}

bool means_lost(Code code) {
  return code == Code::lease_lost || code == Code::already_settled || code == Code::not_found ||
         code == Code::wrong_state || code == Code::terminal;
}

void Attempt::progress(double percent) {
  if (std::isnan(percent)) return;
  bool first = false;
  {
    MutexLock lock(mutex_);
    progress_ = std::clamp(percent, 0.0, 100.0);
    first = !std::exchange(hurried_, true);
  }
  if (first) around_.heart.hurry(*this);
}

void Attempt::log(std::string_view line) {
  bool first = false;
  {
    MutexLock lock(mutex_);
    log_ += plain_text(line);
    if (!log_.ends_with('\n')) log_ += '\n';
    keep_newest(log_);
    first = !std::exchange(hurried_, true);
  }
  if (first) around_.heart.hurry(*this);
}

std::optional<std::string> Attempt::checkpoint() const {
  MutexLock lock(mutex_);
  return checkpoint_;
}

Result<Nothing> Attempt::save_checkpoint(std::string json) {
  if (auto fault = stored_json_fault("checkpoint", json, checkpoint_bytes_max)) return *fault;
  Heartbeat beat = next_beat();
  beat.checkpoint = json;
  Result<std::vector<Verdict>> told = around_.leases.tell({beat});
  if (!told) {
    take_back(beat);
    return told.error();
  }
  if (const auto* refusal = std::get_if<Refusal>(&told->front())) {
    if (means_lost(refusal->code)) lose(StopReason::lease_lost);
    return Error{Errc::refused, "checkpoint refused: " + refusal->detail, refusal->code};
  }
  MutexLock lock(mutex_);
  checkpoint_ = std::move(json);
  return Nothing();
}

Heartbeat Attempt::next_beat() {
  MutexLock lock(mutex_);
  hurried_ = false;
  return {.job = lease.job,
          .token = lease.token,
          .progress = std::exchange(progress_, std::nullopt),
          .log = std::exchange(log_, std::string())};
}

void Attempt::take_back(const Heartbeat& beat) {
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
    // A cancellation that was asked for before does not matter any more.
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
