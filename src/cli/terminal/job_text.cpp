#include "cli/terminal/job_text.h"

#include <fmt/format.h>

#include "cli/client/json_row.h"
#include "cli/client/profile_view.h"
#include "cli/terminal/figures.h"
#include "cli/terminal/table.h"
#include "core/text/time_text.h"

namespace longshore {
namespace {

constexpr std::size_t name_width = 14;
constexpr std::size_t json_shown_max = 300;

// Aligned lines of name and value; skips empty values.
class Lines {
 public:
  explicit Lines(bool colours) : colours_(colours) {}

  void add(std::string_view name, std::string_view value, Colour colour = Colour::plain) {
    if (value.empty() || value == "null") return;
    text_ += fmt::format("{:<{}}", name, name_width);
    text_ += painted(sanitized(value), colour, colours_) + "\n";
  }
  void add_json(std::string_view name, std::string_view json) {
    add(name, truncated(sanitized(json), json_shown_max));
  }
  std::string take() { return std::move(text_); }

 private:
  const bool colours_;
  std::string text_;
};

void add_identity(Lines& lines, const JsonRow& job) {
  lines.add("job", job.text("jobId"), Colour::bold);
  lines.add("type", job.text("jobType"));
  const std::string status = job.text("status");
  const std::string state = job.text("state");
  lines.add("status", state.empty() || state == status ? status : status + " (" + state + ")",
            colour_of_state(status));
}

void add_times(Lines& lines, const JsonRow& job) {
  lines.add("created", job.text("createdAt"));
  lines.add("run at", job.text("runAt"));
  lines.add("started", job.text("startedAt"));
  lines.add("completed", job.text("completedAt"));
  lines.add("expires", job.text("expiresAt"));
}

std::string attempts_text(const JsonRow& job) {
  return fmt::format("{} ({} failed, {} lost; {} retries allowed)", job.text("attempt"),
                     job.text("failures"), job.text("crashes"), job.text("maxRetries"));
}

std::string error_text(const JsonRow& job) {
  const JsonRow error = job.row("error");
  const std::string code = error.text("code");
  const std::string message = error.text("message");
  return code + (message.empty() ? "" : ": " + message);
}

std::string tags_text(const JsonRow& job) {
  std::string tags;
  for (const std::string_view tag : job.list("tags")) {
    tags += (tags.empty() ? "" : " ") + std::string(tag.substr(1, tag.size() - 2));
  }
  return tags;
}

void add_details(Lines& lines, const JsonRow& job) {
  lines.add("queue", job.text("queue") + ", priority " + job.text("priority"));
  lines.add("key", job.text("jobKey"));
  lines.add("idempotency", job.text("idempotencyKey"));
  lines.add("tags", tags_text(job));
  lines.add("attempts", attempts_text(job));
  lines.add("worker", job.row("lease").text("workerId"));
  add_times(lines, job);
  lines.add("ran for", age_text(Duration::millis(job.integer("executionMillis"))));
  lines.add("error", error_text(job), Colour::red);
  lines.add("redrive of", job.text("redriveOf"));
  lines.add("redriven as", job.text("successorId"));
  lines.add_json("payload", job.raw("payload"));
  lines.add_json("result", job.raw("result"));
}

// Each transition, with the time since the previous one.
std::string timeline(const JsonRow& answer, bool colours) {
  Table table({{.title = "TIME"},
               {.title = "AFTER", .right = true},
               {.title = "STATE"},
               {.title = "CAUSE"},
               {.title = "WORKER", .least = 8, .rank = 1},
               {.title = "DETAIL", .least = 10, .rank = 2}});
  std::optional<Instant> before;
  for (const std::string_view step : answer.list("history")) {
    const JsonRow row(step);
    const auto at = parse_time(row.text("at"));
    const std::string after = before && at ? "+" + age_text(*at - *before) : "";
    before = at;
    const std::string to = row.text("to");
    table.add({{row.text("at")},
               {after},
               {to, colour_of_state(to)},
               {row.text("cause")},
               {row.text("workerId")},
               {row.text("detail")}});
  }
  std::string text = "\n";
  if (answer.integer("dropped") > 0) {
    text += count_text(answer.integer("dropped")) + " transitions in the middle are not kept\n";
  }
  const Screen here = screen();
  return text + table.text(here.is_terminal ? std::optional(here.columns) : std::nullopt, colours);
}

}  // namespace

Colour colour_of_state(std::string_view state) {
  if (state == "SUCCESS" || state == "COMPLETED") return Colour::green;
  if (state == "DEAD" || state == "FAILED") return Colour::red;
  if (state == "RUNNING" || state == "WAITING") return Colour::blue;
  if (state == "RETRY") return Colour::yellow;
  if (state == "CANCELED") return Colour::dim;
  return Colour::plain;
}

std::string job_text(const std::string& text, bool colours) {
  const JsonRow job(text);
  Lines lines(colours);
  add_identity(lines, job);
  add_times(lines, job);
  lines.add("progress", job.text("progress"));
  lines.add("cancel", job.boolean("cancelRequested") ? "requested" : "");
  lines.add("redriven as", job.text("successorId"));
  return lines.take();
}

std::string job_details_text(const JobReplies& replies, bool colours) {
  const JsonRow job(replies.details);
  Lines lines(colours);
  add_identity(lines, job);
  if (!replies.view.empty()) lines.add(replies.view, state_in_words(replies.details, replies.view));
  lines.add("now", job.text("completedAt").empty() ? replies.summary : "");
  lines.add("progress", job.text("progress"));
  lines.add("cancel", job.boolean("cancelRequested") ? "requested" : "");
  add_details(lines, job);
  const JsonRow history(replies.history);
  return lines.take() + timeline(history, colours);
}

}  // namespace longshore
