// The context of a handler, and its outcomes.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "longshore/args.h"
#include "longshore/command.h"
#include "longshore/error.h"
#include "longshore/time.h"

namespace longshore {

class Attempt;  // one attempt as the worker sees it

// How an attempt ends. Made by the functions below, returned by a handler.
struct Ending {
  enum class Kind { ok, retry, fail, fatal, release, hand_off, canceled };
  Kind kind = Kind::ok;
  std::string result = "null";           // JSON, of ok
  JobError error = {};                   // of retry, fail and fatal
  std::optional<Duration> delay = {};    // of retry and release
  std::optional<Duration> timeout = {};  // of hand_off
};

// Success. A result that cannot be written as JSON fails the job permanently.
inline Ending ok() { return {}; }
inline Ending ok(RawJson result) { return {.result = std::move(result.text)}; }
template <class T>
Ending ok(const T& result) {
  Result<std::string> json = to_json(result);
  if (json) return {.result = std::move(*json)};
  return {.kind = Ending::Kind::fatal, .error = {"BAD_RESULT", json.error().message, ""}};
}

// Failure; retried after the job's back-off, or after `delay`. Both count as a failure.
inline Ending fail(std::string message, std::string code = "FAILED") {
  return {.kind = Ending::Kind::fail, .error = {std::move(code), std::move(message), ""}};
}
inline Ending retry_in(Duration delay, std::string message, std::string code = "FAILED") {
  return {.kind = Ending::Kind::retry,
          .error = {std::move(code), std::move(message), ""},
          .delay = delay};
}
// Permanent failure: the job becomes a dead letter.
inline Ending fail_for_good(std::string message, std::string code = "FAILED") {
  return {.kind = Ending::Kind::fatal, .error = {std::move(code), std::move(message), ""}};
}
// Returns the job to the front of its queue, or delays it, without counting a failure.
inline Ending release(std::optional<Duration> delay = std::nullopt) {
  return {.kind = Ending::Kind::release, .delay = delay};
}
// An external process will finish the job, by its key or with this attempt's token.
inline Ending hand_off(std::optional<Duration> timeout = std::nullopt) {
  return {.kind = Ending::Kind::hand_off, .timeout = timeout};
}
// The handler stopped because the job was canceled.
inline Ending canceled() { return {.kind = Ending::Kind::canceled}; }

// Why a handler is asked to stop.
enum class StopReason {
  none,
  canceled,        // the job was canceled
  lease_lost,      // another worker may own the job: the outcome is ignored
  timed_out,       // the deadline has passed: the outcome is ignored
  worker_stopped,  // the grace period of a stopping worker is over: the job was released
};

// Belongs to one attempt and must not outlive it. Safe to share between its threads.
class Context {
 public:
  explicit Context(Attempt& attempt) : attempt_(attempt) {}

  const Lease& lease() const;  // as it was claimed
  const JobId& job() const { return lease().job; }
  std::string_view payload() const { return lease().body.payload; }
  int attempt() const { return lease().attempt; }  // 1, 2, 3, ...
  // The fencing token: increases with every claim. Pass it to systems that must reject requests of
  // earlier owners.
  std::int64_t fence() const { return lease().token.epoch; }
  Instant deadline() const { return lease().deadline_at; }  // by the store's clock
  Duration time_left() const;                               // until then; never negative

  // Requested when the handler should stop; see stop_reason().
  std::stop_token stop_token() const;
  bool stop_requested() const { return stop_token().stop_requested(); }
  StopReason stop_reason() const;
  // The worker is stopping: a long handler can save a checkpoint and return release().
  bool worker_stopping() const;

  // 0 to 100. Sent to the store within about a second.
  void progress(double percent);
  // Adds a line to the attempt's log, sent likewise; the newest 64 KiB are kept.
  void log(std::string_view line);

  // The latest checkpoint, of this attempt or an earlier one.
  std::optional<std::string> checkpoint() const;
  template <class T>
  Result<std::optional<T>> checkpoint_as() const {
    const std::optional<std::string> json = checkpoint();
    if (!json) return std::optional<T>();
    Result<T> value = from_json<T>(*json);
    if (!value) return value.error();
    return std::optional<T>(std::move(*value));
  }
  // Durable once the call returns: the next attempt receives it. Errc::refused if this attempt no
  // longer owns the job.
  Result<Nothing> save_checkpoint(RawJson checkpoint);
  template <class T>
  Result<Nothing> save_checkpoint(const T& checkpoint) {
    Result<std::string> json = to_json(checkpoint);
    if (!json) return json.error();
    return save_checkpoint(RawJson{std::move(*json)});
  }

 private:
  Attempt& attempt_;
};

}  // namespace longshore
