// A job in the hands of one transaction.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "longshore/job.h"
#include "store/execute/transaction.h"
#include "store/postgres/write/placement.h"
#include "store/postgres/write/rows.h"

namespace longshore::postgres {

// The history of a job that is done, or new, is in memory whole. That of a live one stays in its
// row, and what is in memory is what its row does not have yet.
struct Entry final : execute::Entry {
  Head head;
  Placement stored;                       // as the tables have it
  std::int64_t stored_version = 0;        // likewise
  std::string stored_queue;               // likewise, if the job has gone to another; else empty
  std::optional<RowPlace> place;          // of its row in live, until it is written
  std::optional<RowPlace> ready_place;    // of its row in ready, likewise
  std::int64_t nth = 0;                   // of the jobs of its claim, when it was given just now
  std::optional<JobBody> body;            // present when it is new or was asked for
  std::optional<std::string> checkpoint;  // meaningful when checkpoint_changed
  std::optional<std::string> result;      // meaningful when result_changed
  bool whole_history = true;
  bool dirty = false;
  bool remembered = false;  // neither read nor locked: whoever writes it has to prove it
  bool started = false;     // its row in live is as a start of this transaction left it
  bool rewritten = false;   // what was given at enqueue changed
  bool body_changed = false;
  bool checkpoint_changed = false;
  bool result_changed = false;
  bool aside_changed = false;  // something of its row that neither a start nor an end touches

  Job& job() { return head.job; }
  const Job& job() const override { return head.job; }
  const std::optional<JobError>& error() const override { return head.error; }
  // The queue in which the tables have it.
  const std::string& queue_in_tables() const {
    return stored_queue.empty() ? job().queue : stored_queue;
  }
};

}  // namespace longshore::postgres
