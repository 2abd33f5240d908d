// A job in the hands of one batch.
#pragma once

#include <optional>
#include <string>

#include "longshore/job.h"
#include "store/execute/transaction.h"
#include "store/redis/codec.h"
#include "store/redis/whereabouts.h"

namespace longshore::redis {

struct Entry final : execute::Entry {
  const Job& job() const override { return head.job; }
  const std::optional<JobError>& error() const override { return head.error; }

  // What its HASH shows by name, of that which changes as the job lives.
  struct Shown {
    State state = State::created;
    int attempt = 0;
    Instant run_at;
  };

  // Notes that Redis has the job as it is now.
  void note_stored(const Rules& rules) {
    stored = whereabouts_of(head.job, rules);
    shown.reset();
    if (head.named) shown = {head.job.state, head.job.attempt, head.job.run_at};
  }

  Head head;
  Whereabouts stored;          // as Redis has it
  std::optional<Shown> shown;  // likewise; none: no names, or old ones
  std::int64_t v = 0;          // what Redis must still have when this is written; 0: no such job
  bool foreign = false;        // of another namespace: to be looked at only

  // Which new number it gets; 0: it has one. A negative order is that number's opposite.
  std::int64_t number_step = 0;
  std::int64_t order_step = 0;

  std::optional<JobBody> body;            // present when it is new or was asked for
  std::optional<std::string> checkpoint;  // meaningful when checkpoint_changed
  std::optional<std::string> result;      // meaningful when result_changed
  std::string payload;                    // as the script answered it, if payload_wanted
  std::string history;                    // lines to be appended
  std::string failures;                   // lines to be appended
  std::string keys;                       // lines to be appended: further keys that lead to it
  bool used = false;                      // a decision may rest on it
  bool dirty = false;
  bool rewritten = false;  // what was given at enqueue changed
  bool misplaced = false;  // Redis had lost its place: it is to be put where it belongs
  bool body_changed = false;
  bool checkpoint_changed = false;
  bool result_changed = false;
  bool payload_wanted = false;  // to be answered by the script that writes it
};

}  // namespace longshore::redis
