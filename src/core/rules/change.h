// A decision of the rules: how a store must change a job, or why it must not. The rules do not
// access a store, and stores have no rules of their own.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "longshore/command.h"
#include "longshore/job.h"

namespace longshore {

// When a decision is valid: for this version of the job, at any store time in [not_before, before).
// A store that decides inside its transaction can ignore the guard; one that loads, decides and
// then writes must check both when it writes.
struct Guard {
  std::int64_t version = 0;
  Instant not_before = Instant::millis(0);
  Instant before = Instant::never();
  friend bool operator==(const Guard&, const Guard&) = default;
};

// The end of its queue at which a job becomes eligible.
enum class Place : std::uint8_t { unchanged, back, front };

struct Change {
  Job after;
  std::vector<Transition> transitions;  // appended to the history, in order
  Guard guard;
  Verdict verdict;                 // the answer to the command
  Place place = Place::unchanged;  // the store then sets after.order

  // Changes of the parts of the record that are not in Job; absent means unchanged.
  std::optional<std::string> result;
  bool drop_result = false;
  std::optional<std::string> checkpoint;
  bool drop_checkpoint = false;
  std::optional<JobError> error;  // becomes the latest
  bool drop_error = false;
  bool list_error = false;          // `error` is also added to the list of failures
  std::string log;                  // appended to the attempt's log
  std::optional<RequestId> log_id;  // append unless this was the last one appended
  std::optional<JobBody> body;      // replaces the body; set by enqueues
  std::optional<NewJob> spawn;      // enqueued in the same commit, once per key
};

// The command was applied before: nothing changes, and this is its answer.
struct Replay {
  Verdict verdict;
};

using Decision = std::variant<Refusal, Replay, Change>;

}  // namespace longshore
