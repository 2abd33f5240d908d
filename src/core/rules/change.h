// A decision of the rules: what a store must do to a job, or why it must not. The rules never
// touch a store; a store never invents a rule.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "longshore/command.h"
#include "longshore/job.h"

namespace longshore {

// When a decision holds: for this version of the job, at any store time in [not_before, before).
// A store that decides inside its atomic step need not look; one that loads, decides and then
// writes must check both in the step that writes.
struct Guard {
  std::int64_t version = 0;
  Instant not_before = Instant::millis(0);
  Instant before = Instant::never();
  friend bool operator==(const Guard&, const Guard&) = default;
};

// Where in its queue a job goes that became eligible.
enum class Place : std::uint8_t { unchanged, back, front };

struct Change {
  Job after;
  std::vector<Transition> transitions;  // appended to the history, in order
  Guard guard;
  Verdict verdict;                 // what the one who asked is told
  Place place = Place::unchanged;  // the store then sets after.order

  // What happens to the parts of the record that are not in Job; absent means untouched.
  std::optional<std::string> result;
  bool drop_result = false;
  std::optional<std::string> checkpoint;
  bool drop_checkpoint = false;
  std::optional<JobError> error;  // becomes the latest
  bool drop_error = false;
  bool list_error = false;          // `error` also joins the list of failures
  std::string log;                  // appended to the attempt's log
  std::optional<RequestId> log_id;  // append only if this was not the last to append
  std::optional<JobBody> body;      // of a replace: overwrites
  std::optional<NewJob> spawn;      // enqueued in the same commit, once per key
};

// It was said before and nothing changes: answer like this.
struct Replay {
  Verdict verdict;
};

using Decision = std::variant<Refusal, Replay, Change>;

}  // namespace longshore
