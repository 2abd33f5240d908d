// Settling many jobs, each on its own.
#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "api/api.h"
#include "api/leases/lease_json.h"
#include "api/leases/routes.h"
#include "api/wire/body.h"
#include "api/wire/calls.h"
#include "api/wire/error_body.h"
#include "api/wire/json_out.h"
#include "core/json/json_value.h"
#include "core/record/stored_json.h"
#include "core/rules/limits.h"

namespace longshore {
namespace {

constexpr std::size_t in_one_commit = 500;
// Larger answers are written on the read pool, not on the committing thread.
constexpr std::size_t quick_answer = 100;

// One outcome and its answer.
struct Line {
  std::string job;                 // as sent
  JobId id = {};                   // the same, if it is valid
  std::optional<Command> command;  // none: refused without the store
  Result<Answered> answer = Answered{};
  // The next outcome of the same job in this call, which is sent with this one, or after it.
  std::optional<std::size_t> next = {};
  bool follows = false;     // it is another outcome's next
  bool sends_next = false;  // the next one is sent when this one is answered
};

// A store that commits on several connections could process two outcomes of one job in any order.
void put_in_order(std::vector<Line>& lines) {
  std::vector<std::size_t> places;
  places.reserve(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (lines[i].command) places.push_back(i);
  }
  std::ranges::stable_sort(places, {}, [&](std::size_t i) { return lines[i].id; });
  for (std::size_t k = 1; k < places.size(); ++k) {
    Line& before = lines[places[k - 1]];
    Line& line = lines[places[k]];
    if (before.id != line.id) continue;
    before.next = places[k];
    line.follows = true;
  }
}

// Refuses the outcome without the store.
void refuse(Line& line, Code code) {
  line.command.reset();
  line.answer = Answered{.verdict = Refusal{.code = code}, .at = {}};
}

std::string verdicts_json(const std::vector<Line>& lines) {
  JsonOut out;
  out.open('{');
  out.key("verdicts");
  out.open('[');
  for (const Line& line : lines) {
    out.open('{');
    out.member("jobId", line.job);
    if (const auto* settled = std::get_if<Settled>(&line.answer->verdict)) {
      out.member("status", to_text(settled->status));
    } else {
      out.member("code", to_text(std::get<Refusal>(line.answer->verdict).code));
    }
    out.close('}');
  }
  out.close(']');
  out.close('}');
  return out.take();
}

// Shared by the answers to all the commands of one call; the last of them answers the call.
class Settling : public std::enable_shared_from_this<Settling> {
 public:
  Settling(Api& api, CallRef call, std::vector<Line> lines)
      : api_(api), call_(std::move(call)), lines_(std::move(lines)), missing_(lines_.size() + 1) {}

  void start() {
    put_in_order(lines_);
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (!lines_[i].command) {
        arrived();
      } else if (!lines_[i].follows) {
        send(i);
      }
    }
    arrived();
  }

 private:
  // With those that follow, in one commit: many outcomes of one job need few commits.
  void send(std::size_t i) {
    std::vector<Entry> entries;
    for (std::optional<std::size_t> next = i; next; next = lines_[*next].next) {
      lines_[*next].sends_next = entries.size() + 1 == in_one_commit;
      entries.push_back({std::move(*lines_[*next].command),
                         [self = shared_from_this(), place = *next](Result<Answered> answer) {
                           self->answered(place, std::move(answer));
                         }});
      if (entries.size() == in_one_commit) break;
    }
    api_.send_in_order(std::move(entries));
  }

  void answered(std::size_t i, Result<Answered> answer) {
    lines_[i].answer = std::move(answer);
    std::optional<std::size_t> next = lines_[i].sends_next ? lines_[i].next : std::nullopt;
    if (next && lines_[i].answer) send(*std::exchange(next, std::nullopt));
    // The outcomes that were not sent fail with the same error.
    for (; next; next = lines_[*next].next) {
      lines_[*next].answer = lines_[i].answer.error();
      arrived();
    }
    arrived();
  }

  void arrived() {
    if (missing_.fetch_sub(1) > 1) return;
    if (lines_.size() <= quick_answer) return finish();
    api_.later([self = shared_from_this()] { self->finish(); });
  }

  void finish() {
    const Error* failure = nullptr;
    bool settled = false;
    for (const Line& line : lines_) {
      if (!line.answer) {
        failure = &line.answer.error();
      } else {
        settled = settled || std::holds_alternative<Settled>(line.answer->verdict);
      }
    }
    if (failure == nullptr) {
      return api_.answer(call_, HttpResponse{.body = verdicts_json(lines_)});
    }
    // Some codes promise that nothing was changed. That must not be said of a partial change.
    Problem problem = api_.problem_of(*failure);
    if (settled) {
      problem = {
          .code = Code::store_unavailable,
          .detail = "Some outcomes were settled and others were not; send all of them again"};
    }
    api_.answer(call_, problem);
  }

  Api& api_;
  const CallRef call_;
  std::vector<Line> lines_;  // each written by one answer only
  std::atomic<std::size_t> missing_;
};

bool says_one_outcome(Fields& fields) {
  const int said =
      int{fields.has("result")} + int{fields.has("error")} + int{fields.has("release")};
  if (said == 1) return true;
  // Do not report them as unknown fields too.
  for (const char* name : {"result", "error", "release", "retryable", "retryAfterSeconds"}) {
    fields.slice(name);
  }
  fields.invalid("", "must have exactly one of result, error and release");
  return false;
}

int depth_of(std::string_view json) {
  int depth = 0;
  int deepest = 0;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '"') {
      for (++i; json[i] != '"'; ++i) i += json[i] == '\\' ? 1 : 0;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if (c == '}' || c == ']') {
      --depth;
    }
  }
  return deepest;
}

void read_result(Fields& fields, Line& line, Complete complete) {
  complete.result = fields.json("result", result_bytes_max).value_or("null");
  if (depth_of(complete.result) > json_depth_default) {
    fields.invalid("result", "must not be nested deeper than 64 levels");
  }
  line.command = std::move(complete);
}

void read_failure(Fields& fields, Line& line, Fail fail) {
  fail.error = read_error(fields, "error").value_or(JobError());
  fail.retryable = fields.boolean("retryable").value_or(true);
  fail.retry_after = fields.seconds("retryAfterSeconds", retry_after_range);
  line.command = std::move(fail);
}

void read_release(Fields& fields, Line& line, Release release) {
  if (!fields.boolean("release").value_or(true)) fields.invalid("release", "must be true");
  line.command = std::move(release);
}

Line read_line(Fields& fields, const std::string& ns) {
  Line line;
  fields.require("jobId");
  line.job = fields.text("jobId").value_or("");
  const LeaseToken token = read_lease_token(fields);
  if (says_one_outcome(fields)) {
    const std::optional<JobId> id = parse_job_id(line.job);
    const JobId job = id.value_or(JobId());
    line.id = job;
    if (fields.has("result")) read_result(fields, line, {.ns = ns, .job = job, .token = token});
    if (fields.has("error")) read_failure(fields, line, {.ns = ns, .job = job, .token = token});
    if (fields.has("release")) read_release(fields, line, {.ns = ns, .job = job, .token = token});
    if (!id) refuse(line, Code::not_found);
  }
  fields.finish();
  return line;
}

void read_outcomes(Api& api, CallRef call) {
  Body body(call->request().body, {.levels = 4});
  Fields& fields = body.fields();
  std::vector<Line> lines;
  fields.require("outcomes");
  if (const auto elements = fields.array("outcomes", 0, batch_jobs_max)) {
    lines.reserve(elements->size());
    for (const Fields::Element& element : *elements) {
      if (fields.faults().full()) break;
      Faults own;
      std::optional<Fields> outcome = Fields::of(own, element.place, element.slice);
      if (outcome) lines.push_back(read_line(*outcome, call->caller.ns));
      // A fault refuses only its own outcome if the job is known; the others are settled.
      if (own.any() && outcome && !lines.back().job.empty()) {
        refuse(lines.back(), own.problem().code);
      } else {
        fields.faults().join(own);
      }
    }
  }
  if (const auto problem = body.problem()) return api.answer(call, *problem);
  std::make_shared<Settling>(api, call, std::move(lines))->start();
}

}  // namespace

void post_settle(Api& api, CallRef call) { handle_body(api, std::move(call), read_outcomes); }

}  // namespace longshore
