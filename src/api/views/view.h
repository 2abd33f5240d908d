// A job in the field names, types and words of one published design. A view is one row of a table
// and one function; docs/profiles.md shows every answer.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/openapi/schema.h"
#include "api/wire/json_out.h"
#include "longshore/catalog.h"
#include "longshore/job.h"

namespace longshore {

// The input of a view. A list has no record, so no payload, result or earlier errors.
struct ShownJob {
  const Job& job;
  const std::optional<JobError>& error;  // the latest; in a list without its details
  const std::vector<std::string>& tags;
  const JobRecord* record = nullptr;
};

struct JobView {
  std::string_view profile;
  void (*write)(JsonOut& out, const ShownJob& shown);  // the design's members, without the braces
  // Whether the design has these members itself; else they are added, so that a client can follow a
  // job in every view.
  bool has_job_id = false;
  bool has_state = false;
  bool has_status = false;
  // The design has no RETRY on the way to DEAD: the job fails directly.
  bool fails_at_once = false;
  // Show also transitions that do not change the word.
  bool shows_every_move = false;
};

const JobView& native_view();
// Nothing if there is no such profile.
const JobView* find_view(std::string_view profile);
// For people: "native, basic, ... or orchestrator".
std::string view_names();

// A job as an object.
void write_job(JsonOut& out, const JobView& view, const JobRecord& record);
void write_job(JsonOut& out, const JobView& view, const JobSummary& summary);

std::span<const Schema> view_schemas();
std::span<const Schema> view_parameters();

// A transition in the view's words.
struct ShownMove {
  std::optional<std::string_view> from;  // none at the first
  std::string_view to;
};
// Nothing for a transition between two states with the same word in this view, or into a state that
// the view skips. `next` is the following transition, null if there is none.
std::optional<ShownMove> shown_move(const JobView& view, const Transition& move,
                                    const Transition* next);

// Reads the parameter or member `view` of a query or a filter; native without it. Records faults in
// the source.
template <class Source>
const JobView& read_view(Source& source) {
  const std::optional<std::string> name = source.text("view");
  if (!name) return native_view();
  if (const JobView* view = find_view(*name)) return *view;
  source.invalid("view", "must be " + view_names());
  return native_view();
}

}  // namespace longshore
