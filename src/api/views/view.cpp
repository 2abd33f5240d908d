#include "api/views/view.h"

#include <algorithm>
#include <array>

#include "api/jobs/job_answers.h"
#include "api/views/writers.h"
#include "core/policy/profile_words.h"

namespace longshore {
namespace {

constexpr std::array<JobView, 6> views = {{
    {.profile = "native",
     .write = write_native,
     .has_job_id = true,
     .has_state = true,
     .has_status = true,
     .shows_every_move = true},
    {.profile = "basic", .write = write_basic, .has_status = true},
    {.profile = "endpoints", .write = write_endpoints, .fails_at_once = true},
    {.profile = "scheduler", .write = write_scheduler, .has_state = true, .fails_at_once = true},
    {.profile = "external", .write = write_external, .has_state = true},
    {.profile = "orchestrator", .write = write_orchestrator, .has_job_id = true, .has_state = true},
}};

void write_object(JsonOut& out, const JobView& view, const ShownJob& shown) {
  out.open('{');
  view.write(out, shown);
  if (!view.has_job_id) out.member("jobId", shown.job.id);
  if (!view.has_state) out.member("state", state_word(view.profile, shown.job));
  if (!view.has_status) out.member("status", to_text(status_of(shown.job)));
  out.close('}');
}

bool leads_to_dead(const Transition& move) {
  return move.from == State::retry && move.to == State::dead;
}

std::string_view word_of(const JobView& view, State state, std::int64_t epoch) {
  return profile_word(view.profile, state, epoch > 0)->word;
}

}  // namespace

const JobView& native_view() { return views.front(); }

const JobView* find_view(std::string_view profile) {
  const auto* const found = std::ranges::find(views, profile, &JobView::profile);
  return found == views.end() ? nullptr : found;
}

std::string view_names() {
  std::string names;
  for (const JobView& view : views) {
    if (!names.empty()) names += &view == &views.back() ? " or " : ", ";
    names += view.profile;
  }
  return names;
}

void write_job(JsonOut& out, const JobView& view, const JobRecord& record) {
  write_object(out, view, {record.job, record.error, record.body.tags, &record});
}

void write_job(JsonOut& out, const JobView& view, const JobSummary& summary) {
  write_object(out, view, {summary.job, summary.error, summary.tags});
}

std::optional<ShownMove> shown_move(const JobView& view, const Transition& move,
                                    const Transition* next) {
  if (view.fails_at_once && next != nullptr && leads_to_dead(*next)) return std::nullopt;
  // The epoch rises at each claim; before the first one, no attempt had started.
  const std::int64_t epoch_before = move.cause == Cause::claim ? move.epoch - 1 : move.epoch;
  ShownMove shown{.from = {}, .to = word_of(view, move.to, move.epoch)};
  if (!move.from) return shown;
  const bool at_once = view.fails_at_once && leads_to_dead(move);
  shown.from = word_of(view, at_once ? State::running : *move.from, epoch_before);
  if (shown.from == shown.to && !view.shows_every_move) return std::nullopt;
  return shown;
}

std::string_view state_word(std::string_view profile, const Job& job) {
  return profile_word(profile, job)->word;
}

void write_json(JsonOut& out, std::string_view name, std::string_view json) {
  out.member(name, Verbatim{json.empty() ? "null" : json});
}

std::string error_text(const ShownJob& shown) {
  const JobError error = shown.error.value_or(JobError());
  if (shown.record == nullptr) return short_error_json(error);
  JsonOut out;
  write_error(out, error);
  return out.take();
}

}  // namespace longshore
