#include "checker/facts.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace longshore::checker {

Facts::Facts(const History& history_in, const Options& options_in, Judgement& judgement_in)
    : history(history_in), options(options_in), judgement(judgement_in) {
  pair_events();
  gather_wishes();
  gather_jobs();
}

void Facts::violate(std::string_view rule, const JobFacts* job, std::string what,
                    const JobFacts* other) {
  judgement.violation_count += 1;
  if (judgement.violations.size() >= violations_kept) return;
  Violation violation{.rule = std::string(rule), .what = std::move(what)};
  if (job != nullptr) {
    violation.job = job->id;
    violation.events = events_of(*job);
  }
  if (other != nullptr) {
    violation.other = other->id;
    violation.events_of_other = events_of(*other);
  }
  judgement.violations.push_back(std::move(violation));
}

JobFacts* Facts::find(const JobId& id) {
  const auto found = jobs.find(id);
  return found == jobs.end() ? nullptr : &found->second;
}

const JobFacts* Facts::origin_of(const JobFacts& job) {
  const JobFacts* origin = &job;
  while (origin != nullptr && origin->asked == nullptr && origin->redriven_by != nullptr) {
    origin = find(origin->redriven_by->call->job);
  }
  return origin == nullptr || origin->asked == nullptr ? nullptr : origin;
}

JobFacts& Facts::at(const JobId& id) {
  const auto [place, is_new] = jobs.try_emplace(id);
  if (is_new) {
    place->second.id = id;
    ordered.push_back(&place->second);
  }
  return place->second;
}

namespace {

// The answer is no longer valid, but a refused operation still had no effect.
void forget_answer(Operation& op, Kind kind) {
  static const Answer undone{.code = "undone"};
  op.kind = kind == Kind::fail ? Kind::fail : Kind::info;
  op.answer = &undone;
  op.ceiling = Instant::never();
  if (op.kind == Kind::info) op.returned = seq_never;
}

}  // namespace

// ---- Operations -------------------------------------------------------------------------------

void Facts::pair_events() {
  ops.reserve(history.events.size() / 2 + 1);
  std::int64_t last = 0;
  for (const Event& event : history.events) {
    if (event.seq <= last) violate("W1", nullptr, "events are not in the order of their numbers");
    last = event.seq;
    if (event.kind == Kind::invoke) {
      begin(event);
    } else if (event.kind == Kind::nemesis || event.kind == Kind::mark) {
      note(event);
    } else {
      end(event);
    }
  }
  if (history.dumped_at) ended_at = std::max(ended_at, *history.dumped_at);
  ended_at = std::max(ended_at, floor_);
}

void Facts::begin(const Event& event) {
  const Call* call = std::get_if<Call>(&event.what);
  if (call == nullptr || !open_.emplace(event.op, ops.size()).second) {
    violate("W1", nullptr, "operation " + std::to_string(event.op) + " was invoked twice");
    return;
  }
  if (call->verb == Verb::start_node) disturbed = true;
  ops.push_back({.call = call,
                 .process = event.process,
                 .op = event.op,
                 .invoked = event.seq,
                 .floor = floor_});
}

void Facts::end(const Event& event) {
  const Answer* answer = std::get_if<Answer>(&event.what);
  const auto open = open_.find(event.op);
  if (answer == nullptr || open == open_.end() || ops[open->second].answer != nullptr) {
    violate("W1", nullptr,
            "a return of operation " + std::to_string(event.op) +
                " without an invoke, or a second one");
    return;
  }
  Operation& op = ops[open->second];
  op.kind = event.kind;
  op.answer = answer;
  if (event.kind == Kind::info) return;
  // It may have been answered before the store was restored.
  if (op.invoked < set_back_) return forget_answer(op, event.kind);
  op.returned = event.seq;
  if (!answer->at) return;
  op.ceiling = *answer->at;
  floor_ = std::max(floor_, *answer->at);
}

void Facts::note(const Event& event) {
  const Note* said = std::get_if<Note>(&event.what);
  if (said == nullptr) return;
  if (event.kind == Kind::nemesis) {
    disturbed = true;
    count("nemesis." + said->word);
    if (said->word == "set back") undo(event.seq);
  } else if (said->word == "copying") {
    copying_ = event.seq;
  } else if (said->word == "copied") {
    if (copying_ < copied_ || copying_ == 0) copying_ = event.seq;  // in one moment
    copied_ = event.seq;
  } else if (said->word == "setting back") {
    setting_back_ = event.seq;
  } else if (said->word == "heal") {
    healed = event.seq;
    healed_at = said->at.value_or(floor_);
  }
  if (said->at) floor_ = std::max(floor_, *said->at);
}

// The store was replaced by an older copy. Operations entirely in between have no effect; those
// that overlap with one of the two are unknown.
void Facts::undo(std::int64_t set_back) {
  const std::int64_t began = std::max(setting_back_, copied_);
  set_back_ = set_back;
  const std::int64_t before = began > copied_ ? began : set_back;
  for (Operation& op : ops) {
    if (op.returned == seq_never || op.returned < copying_) continue;
    const bool undone = op.kind == Kind::fail || (op.invoked > copied_ && op.returned < before);
    forget_answer(op, undone ? Kind::fail : Kind::info);
    count("undone");
  }
}

std::vector<const Operation*> Facts::in_force(Instant at) const {
  std::vector<const Operation*> all;
  for (const Operation* one : configures) {
    const bool begun = one == configures.front() || one->floor <= at;
    const bool replaced = std::ranges::any_of(configures, [&](const Operation* later) {
      return later->ok() && later->ceiling < at && later->invoked > one->returned;
    });
    if (begun && !replaced) all.push_back(one);
  }
  return all;
}

// Computed once for all rules, because long histories would take too long.
void Facts::gather_wishes() {
  for (const Operation& op : ops) {
    if (!op.maybe()) continue;
    if (op.call->verb == Verb::configure) configures.push_back(&op);
    if (op.call->successor != JobId{}) wanted.try_emplace(op.call->successor, seq_never);
    for (const Asked& asked : op.call->jobs) {
      std::int64_t& unanswered = wanted.try_emplace(asked.id, seq_never).first->second;
      if (op.kind == Kind::info) unanswered = std::min(unanswered, op.invoked);
    }
  }
}

// ---- Jobs -------------------------------------------------------------------------------------

void Facts::gather_jobs() {
  jobs.reserve(history.jobs.size() * 2);
  for (const JobDump& dump : history.jobs) {
    JobFacts& job = at(dump.job.id);
    if (job.dump != nullptr) violate("W1", &job, "the dump shows a job twice");
    job.dump = &dump;
  }
  // In the order of first mention: an operation may refer to a job that only a later one shows.
  for (const Operation& op : ops) mention(op);
  for (const Operation& op : ops) attach(op);
  attach_by_key();
  attach_unnamed();
  for (JobFacts* job : ordered) {
    std::ranges::sort(job->ops, {}, &Operation::invoked);
    const auto twice = std::ranges::unique(job->ops);
    job->ops.erase(twice.begin(), twice.end());
    if (job->content == nullptr) job->content = job->asked;
  }
}

void Facts::mention(const Operation& op) {
  if (op.call->job != JobId{}) at(op.call->job);
  if (op.answer == nullptr) return;
  if (op.answer->job) at(*op.answer->job);
  for (const EnqueuedJob& job : op.answer->jobs) at(job.id);
  for (const Grant& grant : op.answer->grants) at(grant.job);
}

void Facts::attach(const Operation& op) {
  const Call& call = *op.call;
  if (call.verb == Verb::enqueue) return attach_enqueue(op);
  if (call.job != JobId{}) at(call.job).ops.push_back(&op);
  if (op.answer != nullptr && op.answer->job) at(*op.answer->job).ops.push_back(&op);
  if (call.verb == Verb::redrive && op.maybe() && call.successor != JobId{}) {
    // The dump shows whether it was created; a refused redrive creates nothing.
    if (JobFacts* made = find(call.successor)) {
      made->ops.push_back(&op);
      if (made->redriven_by == nullptr || op.ok()) made->redriven_by = &op;
      if (op.ok()) made->acknowledged = true;
    }
  }
  if (op.answer == nullptr) return;
  for (const Grant& grant : op.answer->grants) at(grant.job).ops.push_back(&op);
}

void Facts::attach_enqueue(const Operation& op) {
  const std::vector<Asked>& asked = op.call->jobs;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const bool answered = op.ok() && i < op.answer->jobs.size();
    if (answered) {
      JobFacts& job = at(op.answer->jobs[i].id);
      job.ops.push_back(&op);
      job.acknowledged = true;
      job.ns = op.call->ns;
      const bool made_it =
          asked[i].id == job.id || (asked[i].id == JobId{} && op.answer->jobs[i].fresh);
      if (made_it && job.asked == nullptr) job.asked = &asked[i];
    }
    if (!op.maybe() || asked[i].id == JobId{}) continue;
    for (const JobId& id : {asked[i].id, answered ? op.answer->jobs[i].id : asked[i].id}) {
      JobFacts* job = find(id);
      if (job == nullptr) continue;
      job->ops.push_back(&op);
      if (id == asked[i].id && job->asked == nullptr) job->asked = &asked[i];
      job->ns = op.call->ns;
      if (job->dump != nullptr && job->dump->job.content == asked[i].id) job->content = &asked[i];
    }
  }
}

// An enqueue without an answer whose id the server chose is identified by its payload: harnesses
// use unique payloads.
void Facts::attach_unnamed() {
  std::map<std::tuple<std::string_view, std::string_view, std::uint64_t>, JobFacts*> unasked;
  for (JobFacts* job : ordered) {
    if (job->dump == nullptr || job->asked != nullptr || job->redriven_by != nullptr) continue;
    unasked[{job->dump->job.ns, job->dump->job.type, job->dump->payload}] = job;
  }
  if (unasked.empty()) return;
  for (const Operation& op : ops) {
    if (op.call->verb != Verb::enqueue || op.kind != Kind::info) continue;
    for (const Asked& asked : op.call->jobs) {
      if (asked.id != JobId{}) continue;
      const auto found = unasked.find({op.call->ns, asked.type, asked.payload});
      if (found == unasked.end()) continue;
      found->second->asked = &asked;
      found->second->ops.push_back(&op);
    }
  }
}

// Replies by key, and enqueues that may have replaced a job, name no id: they belong to every job
// of their key.
void Facts::attach_by_key() {
  std::map<std::tuple<std::string_view, std::string_view, std::string_view>, std::vector<JobFacts*>>
      keyed;
  for (JobFacts* job : ordered) {
    if (job->dump != nullptr && !job->dump->job.job_key.empty()) {
      const Job& held = job->dump->job;
      keyed[{held.ns, held.type, held.job_key}].push_back(job);
      continue;
    }
    // A deleted job had the key of its enqueue, or that of the job it repeats.
    const JobFacts* origin = job->dump == nullptr ? origin_of(*job) : nullptr;
    if (origin != nullptr && !origin->asked->job_key.empty()) {
      keyed[{origin->ns, origin->asked->type, origin->asked->job_key}].push_back(job);
    }
  }
  const auto attach_to = [&](const Operation& op, std::string_view type, std::string_view key) {
    const auto found = keyed.find({op.call->ns, type, key});
    if (found == keyed.end()) return;
    for (JobFacts* job : found->second) job->ops.push_back(&op);
  };
  for (const Operation& op : ops) {
    if (!op.maybe()) continue;
    if (op.call->verb == Verb::finish_by_key && !op.ok()) {
      attach_to(op, op.call->type, op.call->key);
    }
    if (op.call->verb != Verb::enqueue) continue;
    for (const Asked& asked : op.call->jobs) {
      if (asked.on_conflict != OnConflict::replace || asked.job_key.empty()) continue;
      attach_to(op, asked.type, asked.job_key);
      for (JobFacts* job : keyed[{op.call->ns, asked.type, asked.job_key}]) {
        if (job->dump != nullptr && job->dump->job.content == asked.id) job->content = &asked;
      }
    }
  }
}

}  // namespace longshore::checker
