// How a job becomes the fields of its HASH, and back.
//
//   v         the mark of the run that wrote it last: what a decision was made by
//   given     what was given at enqueue
//   life      what changes as the job lives; the first digit is its state
//   place     its number and its place in the ready order
//   history   core/record/history_text.h; usual_moves.h says what it leaves out
//   payload, tags, metadata, request, trace    the body
//   result, checkpoint, errors, keys, log:N, by:N
//   state, type, queue, attempt, run_at         names.h: the same by name, for people
//   size      what it takes since it ended, if somebody wants to know
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "longshore/job.h"

namespace longshore::redis {

// What a decision needs: the job itself and the small parts of its record.
struct Head {
  Job job;
  std::optional<JobError> error;
  std::int64_t body_bytes = 0;  // payload, metadata and request
  std::optional<std::int64_t> checkpoint_bytes;
  bool only_payload = false;      // neither tags, metadata, request nor trace
  bool named = false;             // the HASH shows by name what `life` says
  bool usual = false;             // usual_moves.h: the HASH has no history
  std::string completed_by = {};  // of a usual job that was completed: its worker
};

// `usual`: the policy that is not written out.
std::string given_text(const Head& head, const Policy& usual);
std::string life_text(const Head& head);
// Whether the HASH with this `life` shows it by name, too.
bool is_named(std::string_view life);

struct HeadTexts {
  std::string_view given, life, place;
};
// Nothing if these are not the texts of a job.
std::optional<Head> parse_head(const JobId& id, const std::string& ns, const HeadTexts& texts,
                               const Policy& usual);

std::int64_t bytes_of(const JobBody& body);
bool is_only_payload(const JobBody& body);

// One line of `errors`.
std::string failure_line(const Failure& failure);
std::vector<Failure> parse_failures(std::string_view lines);

}  // namespace longshore::redis
