#include "unit/core/apply.h"

#include "core/record/history_text.h"

namespace longshore {

void apply(JobRecord& record, const Change& change) {
  const std::int64_t number = record.job.number;
  record.job = change.after;
  record.job.number = number;
  if (change.body) record.body = *change.body;
  if (change.drop_result) record.result.reset();
  if (change.result) record.result = change.result;
  if (change.drop_checkpoint) record.checkpoint.reset();
  if (change.checkpoint) record.checkpoint = change.checkpoint;
  if (change.drop_error) record.error.reset();
  if (change.error) record.error = change.error;
  if (change.error && change.list_error) {
    record.errors.push_back(
        {.attempt = record.job.attempt, .at = record.job.updated_at, .error = *change.error});
    if (std::ssize(record.errors) > failures_kept) record.errors.erase(record.errors.begin());
  }
  for (const Transition& move : change.transitions) record.history.push_back(move);
  keep_both_ends(record.history, record.history_dropped);
}

}  // namespace longshore
