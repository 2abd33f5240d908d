// A job in the hands of one transaction.
#pragma once

#include <optional>
#include <string>

#include "longshore/job.h"
#include "store/judge/unit.h"
#include "store/postgres/rows.h"
#include "store/postgres/standing.h"

namespace longshore::postgres {

struct Entry final : judge::Entry {
  Head head;
  Standing stored;                        // as the tables have it
  std::optional<RowPlace> place;          // of its row in live, until it is written
  std::optional<RowPlace> ready_place;    // of its row in ready, likewise
  std::optional<JobBody> body;            // present when it is new or was asked for
  std::optional<std::string> checkpoint;  // meaningful when checkpoint_changed
  std::optional<std::string> result;      // meaningful when result_changed
  bool dirty = false;
  bool rewritten = false;  // what was given at enqueue changed
  bool body_changed = false;
  bool checkpoint_changed = false;
  bool result_changed = false;

  Job& job() { return head.job; }
  const Job& job() const override { return head.job; }
  const std::optional<JobError>& error() const override { return head.error; }
};

}  // namespace longshore::postgres
