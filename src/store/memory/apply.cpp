#include <algorithm>
#include <utility>

#include "core/policy/policy.h"
#include "core/record/error_group.h"
#include "core/record/history_text.h"
#include "core/rules/job_events.h"
#include "store/memory/enqueue.h"
#include "store/memory/step.h"

namespace longshore::memory {
namespace {

template <class Rule>
const Rule* find_rule(const std::map<MemoryDisk::Scoped, Rule>& rules, const std::string& ns,
                      const std::string& name) {
  const auto found = rules.find({ns, name});
  return found == rules.end() ? nullptr : &found->second;
}

void give_place(MemoryDisk::Counters& counters, Place place, Job& job) {
  if (place == Place::back) job.order = ++counters.order_back;
  if (place == Place::front) job.order = --counters.order_front;
}

void set_retention(const Step& step, const Change& change, Job& job) {
  if (change.transitions.empty() || !is_terminal(job.state)) return;
  job.prune_after = resolve_prune_after(
      status_of(job), job.updated_at, find_rule(step.disk.type_rules, job.ns, job.type),
      find_rule(step.disk.queue_rules, job.ns, job.queue), step.rules.retention);
}

template <class T>
void overwrite(std::optional<T>& part, bool drop, std::optional<T>& with) {
  if (drop) part.reset();
  if (with) part = std::move(with);
}

void list_error(JobRecord& record, const JobError& error) {
  record.errors.push_back(
      {.attempt = record.job.attempt, .at = record.job.updated_at, .error = error});
  if (record.errors.size() > failures_kept) record.errors.erase(record.errors.begin());
}

void group_error(Step& step, const Job& job, const JobError& error) {
  const std::uint64_t fingerprint = error_fingerprint(job.type, error.code, error.message);
  auto [entry, is_new] = step.disk.error_groups.try_emplace({job.ns, job.type, fingerprint});
  ErrorGroup& group = entry->second;
  if (is_new) {
    group = {.ns = job.ns, .type = job.type, .fingerprint = fingerprint};
    group.first_at = job.updated_at;
  }
  group.count += 1;
  group.last_at = job.updated_at;
  group.sample = job.id;
  group.code = error.code;
  group.message = error.message.substr(0, error.message.find('\n'));
}

// Keeps the end, and never begins inside a character.
void keep_newest(std::string& text) {
  if (text.size() <= log_bytes_kept) return;
  std::size_t begin = text.size() - log_bytes_kept;
  while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) ++begin;
  text.erase(0, begin);
}

void append_log(StoredJob& stored, int attempt, const Change& change) {
  if (change.log.empty()) return;
  if (change.log_id && change.log_id == stored.last_log) return;
  stored.last_log = change.log_id;
  if (stored.logs.empty() || stored.logs.back().attempt != attempt) {
    stored.logs.push_back({.attempt = attempt});
  }
  std::string& text = stored.logs.back().text;
  text += change.log;
  keep_newest(text);
}

void write_parts(Step& step, StoredJob& stored, Change& change) {
  JobRecord& record = stored.record;
  if (change.error && change.list_error) {
    list_error(record, *change.error);
    group_error(step, record.job, *change.error);
  }
  overwrite(record.result, change.drop_result, change.result);
  overwrite(record.checkpoint, change.drop_checkpoint, change.checkpoint);
  overwrite(record.error, change.drop_error, change.error);
  if (change.body) record.body = std::move(*change.body);
  record.history.insert(record.history.end(), change.transitions.begin(), change.transitions.end());
  keep_both_ends(record.history, record.history_dropped);
}

}  // namespace

Refusal no_such_job() {
  return {.code = Code::not_found, .detail = "there is no such job in this namespace"};
}

void apply(Step& step, Change change) {
  MemoryDisk& disk = step.disk;
  StoredJob& stored = disk.jobs[change.after.id];
  Job& job = stored.record.job;
  const bool is_new = job.number == 0;
  append_job_events(step.events, job, change);
  append_log(stored, job.attempt, change);

  if (!is_new) unindex(disk, job, step.rules);
  job = std::move(change.after);
  if (is_new) job.number = ++disk.counters.number;
  give_place(disk.counters, change.place, job);
  set_retention(step, change, job);
  index(disk, job, step.rules);

  write_parts(step, stored, change);
  const bool moved = !change.transitions.empty();
  if (moved && job.state == State::queued) step.worth_a_look.insert({job.ns, job.queue});
  if (change.spawn) spawn(step, job.ns, *change.spawn);
}

Executed apply_decision(Step& step, Decision decision) {
  if (const auto* refusal = std::get_if<Refusal>(&decision)) return {.verdict = *refusal};
  if (const auto* replay = std::get_if<Replay>(&decision)) return {.verdict = replay->verdict};
  Change& change = std::get<Change>(decision);
  Verdict verdict = change.verdict;
  apply(step, std::move(change));
  return {.verdict = std::move(verdict), .changed = true};
}

void record_audit(Step& step, const Actor& actor, const std::string& ns, const std::string& action,
                  const std::string& target) {
  step.disk.audit_trail.push_back({.number = ++step.disk.counters.audit,
                                   .at = step.now,
                                   .ns = ns,
                                   .actor = actor,
                                   .action = action,
                                   .target = target});
}

}  // namespace longshore::memory
